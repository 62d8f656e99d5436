for _name, _condition in options.items():
    print("@option", _name)
    if _must_hold(_condition):
        print("@holds", _name)
