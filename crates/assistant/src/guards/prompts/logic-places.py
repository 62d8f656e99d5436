# Where the question offers no options: who must stand where, and who has what in the end.
if "s" not in globals():
    for _name, _value in list(globals().items()):
        if type(_value) in (str, int) and not _name.startswith("_"):
            print("@has", _name, _value)
elif "everything" in globals() and len(everything) <= 8:
    for _x in everything:
        for _place in range(1, len(everything) + 1):
            if _must_hold(_x == _place):
                print("@stands", _x, _place)
