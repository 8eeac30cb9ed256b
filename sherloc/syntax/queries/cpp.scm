(class_specifier name: (_)? @name body: (_) @body) @def.class.class
(namespace_definition name: (_)? @name body: (_) @body) @def.class.namespace
(concept_definition name: (_) @name) @def.class.concept
(function_declarator
  declarator: [
    (field_identifier) (qualified_identifier) (destructor_name) (operator_name) (template_function) (type_identifier)
  ] @declarator)
(function_definition declarator: [(operator_cast) (qualified_identifier)] @declarator)
(function_definition (try_statement body: (_) @body))
(template_declaration) @wrap
(linkage_specification body: (function_definition)) @wrap
(friend_declaration (function_definition)) @wrap

(base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base)

(call_expression function: [(qualified_identifier) (template_function)] @call)
(new_expression type: (_) @call)
(throw_statement (call_expression function: (_) @raise))
(using_declaration) @import

(raw_string_content) @string

; Classes and namespaces of which the parser understood only the head.
(ERROR . "class" . (type_identifier) @name) @def.class.class
(ERROR . "struct" . (type_identifier) @name) @def.class.struct
(ERROR . "namespace" . (namespace_identifier) @name) @def.class.namespace
