; Captures are explained in sherloc/syntax/nesting.py.

(function_declaration name: (_) @name body: (_)? @body) @def.function.function
(method_declaration receiver: (_) @receiver name: (_) @name body: (_)? @body) @def.method.method
(type_spec name: (_) @name type: (struct_type (field_declaration_list) @body)) @def.class.struct
(type_spec name: (_) @name type: (interface_type "{" @body)) @def.class.interface
(type_spec name: (_) @name
  type: [
    (type_identifier) (qualified_type) (generic_type) (pointer_type) (array_type) (slice_type) (map_type)
    (channel_type) (function_type)
  ]) @def.class.type
(type_alias name: (_) @name) @def.class.type
(method_elem name: (_) @name) @def.method.method
(type_declaration) @wrap

(type_spec type: (struct_type (field_declaration_list (field_declaration !name type: (_) @base))))
(interface_type (type_elem . [(type_identifier) (qualified_type) (generic_type)] @base .))

(call_expression function: [(identifier) (selector_expression)] @call)
(call_expression function: (index_expression operand: [(identifier) (selector_expression)] @call))
(call_expression function: (type_instantiation_expression type: (_) @call))
(type_conversion_expression type: (generic_type type: (_) @call))
(import_spec) @import

(comment) @comment
[(interpreted_string_literal_content) (raw_string_literal_content)] @string

(ERROR) @error
(MISSING) @error
