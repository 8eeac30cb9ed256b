; Captures are explained in sherloc/syntax/nesting.py.

(class_declaration name: (_) @name) @def.class.class
(class_declaration "interface" @is.interface)
(class_declaration (class_body) @body)
(class_declaration (enum_class_body) @body @is.enum)
(object_declaration name: (_) @name) @def.class.object
(object_declaration (class_body) @body)
(companion_object) @def.scope.companion
(function_declaration name: (_) @name (function_body)? @body) @def.function.function
(secondary_constructor (block)? @body) @def.method.constructor
(secondary_constructor "constructor" @name)
(property_declaration (variable_declaration . (identifier) @name) [(getter) (setter)] @body) @def.function.property
(type_alias type: (_) @name (_) @body) @def.class.type
(enum_entry . (identifier) @name (class_body)) @def.scope.constant

(delegation_specifier [(user_type) @base (constructor_invocation . (_) @base) (explicit_delegation . (_) @base)])

(annotation) @lead
(annotation [(user_type) @decorator (constructor_invocation (user_type) @decorator)])
(call_expression . [(identifier) (navigation_expression)] @call)
(constructor_invocation (user_type) @call)
(throw_expression (call_expression . [(identifier) (navigation_expression)] @raise))
(import) @import

[(line_comment) (block_comment)] @comment
[(string_content)] @string

; A class of which the parser understood only the head.
(ERROR . (modifiers)? . "class" . (identifier) @name) @def.class.class
(ERROR) @error
(MISSING) @error
