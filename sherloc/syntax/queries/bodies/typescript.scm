(public_field_definition value: (arrow_function body: (expression) @value))
[
  (abstract_class_declaration) (interface_declaration) (enum_declaration) (type_alias_declaration) (internal_module)
  (function_signature)
] @keep
