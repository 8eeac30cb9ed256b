; Captures are explained in sherloc/syntax/nesting.py.

(class_declaration name: (_) @name body: (_) @body) @def.class.class
(interface_declaration name: (_) @name body: (_) @body) @def.class.interface
(trait_declaration name: (_) @name body: (_) @body) @def.class.trait
(enum_declaration name: (_) @name body: (_) @body) @def.class.enum
(method_declaration name: (_) @name body: (_)? @body) @def.method.method
(function_definition name: (_) @name body: (_) @body) @def.function.function

(base_clause (_) @base)
(class_interface_clause (_) @base)
(use_declaration [(name) (qualified_name)] @base)

(attribute_list) @lead
(attribute [(name) (qualified_name)] @decorator)
(function_call_expression function: [(name) (qualified_name)] @call)
(member_call_expression name: (name) @call.name)
(nullsafe_member_call_expression name: (name) @call.name)
(scoped_call_expression name: (name) @call.name)
(object_creation_expression [(name) (qualified_name)] @call)
(throw_expression (object_creation_expression [(name) (qualified_name)] @raise))
(namespace_use_declaration) @import
[(require_once_expression) (require_expression) (include_expression) (include_once_expression)] @import

(comment) @comment
[(string_content) (heredoc_body) (nowdoc_body) (text)] @string

(ERROR) @error
(MISSING) @error
