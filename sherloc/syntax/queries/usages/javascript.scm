(field_definition property: (_) @field)
