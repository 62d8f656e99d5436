"""The `z3` that programs in the sandbox import: z3py's words over SMT-LIB text, for the solver that Reckon has."""
import math
import sys
from z3_terms import *
from z3_ops import *
from z3_eval import simplify
from z3_solver import *


def set_param(*args, **keywords):
    pass


set_option = set_param


# What `from z3 import *` gives: only what z3py gives too, so that a program's own names stay its own.
__all__ = """
Abs AlgebraicNumRef And ArithRef ArithSortRef AstRef AstVector AtLeast AtMost Bool BoolRef BoolSort BoolSortRef
BoolVal BoolVector Bools CheckSatResult Const Consts DatatypeRef DatatypeSortRef DeclareSort Distinct EnumSort Exists
ExprRef ForAll FuncDeclRef FuncEntry FuncInterp Function If Implies Int IntNumRef IntSort IntVal IntVector Ints IsInt
ModelRef Not Optimize OptimizeObjective Or PbEq PbGe PbLe Product Q QuantifierRef RatNumRef RatVal Real RealSort
RealVal RealVector Reals Solver SortRef Sqrt Sum ToInt ToReal Xor Z3Exception Z3PPObject eq is_add is_algebraic_value
is_and is_app is_bool is_const is_distinct is_div is_eq is_expr is_false is_ge is_gt is_idiv is_implies is_int
is_int_value is_le is_lt is_mod is_mul is_not is_or is_rational_value is_real is_sort is_sub is_true prove sat
set_option set_param simplify solve unknown unsat math sys
""".split()
