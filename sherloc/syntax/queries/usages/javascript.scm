(field_definition property: (_) @defined)
