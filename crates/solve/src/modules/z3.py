"""The `z3` that programs in the sandbox import: z3py's words over SMT-LIB text, for the solver that Reckon has."""
import math
import sys
from z3_terms import *
from z3_ops import *
from z3_eval import simplify
from z3_solver import *


class Context:
    """There is one context; programs that make their own get the same."""


def main_ctx():
    return Context()


def set_param(*args, **keywords):
    pass


set_option = set_param


def reset_params():
    pass


def get_version_string():
    return "4.15.0"


def get_version():
    return (4, 15, 0, 0)


def set_pp_option(key, value):
    pass


Z3_OP_UNINTERPRETED = "app"


# What `from z3 import *` gives: only what z3py gives too, so that a program's own names stay its own.
__all__ = """
Abs AlgebraicNumRef And ArithRef ArithSortRef Array ArrayRef ArraySort ArraySortRef AstRef AstVector AtLeast AtMost
BV2Int BitVec BitVecNumRef BitVecRef BitVecSort BitVecSortRef BitVecVal BitVecs Bool BoolRef BoolSort BoolSortRef
BoolVal BoolVector Bools Cbrt CheckSatResult Concat Const Consts Context DatatypeRef DatatypeSortRef DeclareSort
Distinct EnumSort Exists ExprRef Extract ForAll FreshBool FreshConst FreshInt FreshReal FuncDeclRef FuncEntry
FuncInterp Function If Implies Int Int2BV IntNumRef IntSort IntVal IntVector Ints IsInt K LShR ModelRef Not Optimize
OptimizeObjective Or PbEq PbGe PbLe Product Q QuantifierRef RatNumRef RatVal Real RealSort RealVal RealVector Reals
SRem Select SetSort SignExt SimpleSolver Solver SolverFor SortRef Sqrt Store Sum ToInt ToReal UDiv UGE UGT ULE ULT
URem Update Xor Z3Exception Z3PPObject Z3_OP_UNINTERPRETED ZeroExt eq get_version get_version_string is_add
is_algebraic_value is_and is_app is_arith is_array is_ast is_bool is_bv is_bv_value is_const is_distinct is_div is_eq
is_expr is_false is_func_decl is_ge is_gt is_idiv is_implies is_int is_int_value is_le is_lt is_mod is_mul is_not
is_or is_quantifier is_rational_value is_real is_select is_sort is_store is_sub is_to_int is_to_real is_true main_ctx
prove reset_params sat set_option set_param set_pp_option simplify solve substitute unknown unsat math sys
""".split()
