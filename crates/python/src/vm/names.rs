//! Names that the machine itself looks up, interned once.
use crate::text::Str;
use std::rc::Rc;

macro_rules! names {
    ($($field:ident $text:literal)*) => {
        pub(crate) struct Names {
            $(pub(crate) $field: Rc<Str>,)*
        }

        impl Names {
            pub(crate) fn new(intern: impl Fn(&str) -> Rc<Str>) -> Self {
                Self { $($field: intern($text),)* }
            }
        }
    };
}

names! {
    abs "__abs__"
    abstract_methods "__abstractmethods__"
    all "__all__"
    annotations "__annotations__"
    bool_ "__bool__"
    call "__call__"
    ceil "__ceil__"
    class "__class__"
    class_getitem "__class_getitem__"
    complex "__complex__"
    contains "__contains__"
    delattr "__delattr__"
    delete "__delete__"
    delitem "__delitem__"
    dict "__dict__"
    dir "__dir__"
    divmod "__divmod__"
    doc "__doc__"
    enter "__enter__"
    eq "__eq__"
    exit "__exit__"
    float "__float__"
    floor "__floor__"
    format "__format__"
    get "__get__"
    getattr "__getattr__"
    getattribute "__getattribute__"
    getitem "__getitem__"
    hash "__hash__"
    index "__index__"
    init "__init__"
    init_subclass "__init_subclass__"
    instancecheck "__instancecheck__"
    int "__int__"
    invert "__invert__"
    iter "__iter__"
    keys "keys"
    len "__len__"
    main "__main__"
    match_args "__match_args__"
    missing "__missing__"
    module "__module__"
    mro_entries "__mro_entries__"
    name "__name__"
    neg "__neg__"
    new "__new__"
    next "__next__"
    pos "__pos__"
    prepare "__prepare__"
    qualname "__qualname__"
    rdivmod "__rdivmod__"
    repr "__repr__"
    reversed "__reversed__"
    round "__round__"
    set "__set__"
    set_name "__set_name__"
    setattr "__setattr__"
    setitem "__setitem__"
    slots "__slots__"
    str_ "__str__"
    subclasscheck "__subclasscheck__"
    trunc "__trunc__"
    ne "__ne__"
    lt "__lt__"
    le "__le__"
    gt "__gt__"
    ge "__ge__"
}
