(public_field_definition
  name: (_) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]
) @def.method.method
(abstract_class_declaration name: (_) @name body: (_) @body) @def.class.class
(interface_declaration name: (_) @name body: (_) @body) @def.class.interface
(enum_declaration name: (_) @name body: (_) @body) @def.class.enum
(type_alias_declaration name: (_) @name value: (_) @body) @def.class.type
(internal_module name: (_) @name body: (_) @body) @def.class.namespace
(module name: (_) @name body: (_) @body) @def.class.module
(function_signature name: (_) @name) @def.function.function
(method_signature name: (_) @name) @def.method.method
(abstract_method_signature name: (_) @name) @def.method.method
(method_signature "get" @is.getter)
(method_signature "set" @is.setter)

(ambient_declaration) @wrap
(expression_statement (internal_module)) @wrap

(extends_clause value: (_) @base)
(implements_clause (_) @base)
(extends_type_clause type: (_) @base)
