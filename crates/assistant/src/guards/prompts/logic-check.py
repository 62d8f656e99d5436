# What the sandbox runs behind a model's puzzle program: which of its options must hold.
def _must_hold(_condition):
    if isinstance(_condition, bool):
        return _condition
    s.push()
    s.add(Not(_condition))
    _verdict = s.check()
    s.pop()
    if _verdict == unknown:
        raise RuntimeError("the solver does not know")
    return _verdict == unsat

# Things in an order stand at 1 to n, however many places the program wrote down.
if "s" in globals() and "everything" in globals():
    s.add([And(_x >= 1, _x <= len(everything)) for _x in everything])
if "s" in globals() and s.check() != sat:
    raise RuntimeError("the facts contradict each other")
