(field_definition value: (arrow_function body: (expression) @value))
