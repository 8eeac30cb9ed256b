; Captures are explained in sherloc/syntax/nesting.py.

(class_declaration name: (_) @name body: (_)? @body) @def.class.class
(interface_declaration name: (_) @name body: (_)? @body) @def.class.interface
(struct_declaration name: (_) @name body: (_)? @body) @def.class.struct
(enum_declaration name: (_) @name body: (_)? @body) @def.class.enum
(record_declaration name: (_) @name body: (_)? @body) @def.class.record
(delegate_declaration name: (_) @name) @def.class.type
(method_declaration name: (_) @name body: (_)? @body) @def.method.method
(local_function_statement name: (_) @name body: (_)? @body) @def.function.function
(constructor_declaration name: (_) @name body: (_)? @body) @def.method.constructor
(destructor_declaration name: (_) @name body: (_)? @body) @def.method.destructor
(property_declaration name: (_) @name [(accessor_list) (arrow_expression_clause)] @body) @def.method.property
(event_declaration name: (_) @name (accessor_list) @body) @def.method.event
(indexer_declaration "this" @name [(accessor_list) (arrow_expression_clause)] @body) @def.method.property
(operator_declaration "operator" @name body: (_)? @body) @def.method.operator
(conversion_operator_declaration "operator" @name body: (_)? @body) @def.method.operator

(base_list (_) @base)

(attribute_list) @lead
(attribute name: (_) @decorator)
(invocation_expression
  function: [(identifier) (member_access_expression) (generic_name) (conditional_access_expression)] @call)
(invocation_expression function: (member_binding_expression) @call)
(object_creation_expression type: (_) @call)
(throw_statement (object_creation_expression type: (_) @raise))
(throw_expression (object_creation_expression type: (_) @raise))
(using_directive) @import

(comment) @comment
[(string_literal_content) (string_content) (verbatim_string_literal) (raw_string_literal)] @string

(ERROR) @error
(MISSING) @error
