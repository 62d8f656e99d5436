"""Names that programs import to choose what Python has had for long; the compiler knows those that still matter."""

absolute_import = annotations = barry_as_FLUFL = division = generator_stop = None
generators = nested_scopes = print_function = unicode_literals = with_statement = None
