; Captures are explained in sherloc/syntax/nesting.py.

(class_declaration name: (_) @name body: (_) @body) @def.class.class
(interface_declaration name: (_) @name body: (_) @body) @def.class.interface
(enum_declaration name: (_) @name body: (_) @body) @def.class.enum
(record_declaration name: (_) @name body: (_) @body) @def.class.record
(annotation_type_declaration name: (_) @name body: (_) @body) @def.class.annotation
(method_declaration name: (_) @name body: (_)? @body) @def.method.method
(annotation_type_element_declaration name: (_) @name) @def.method.method
(constructor_declaration name: (_) @name body: (_) @body) @def.method.constructor
(compact_constructor_declaration name: (_) @name body: (_) @body) @def.method.constructor
(enum_constant name: (_) @name body: (_)) @def.scope.constant

(superclass (_) @base)
(super_interfaces (type_list (_) @base))
(extends_interfaces (type_list (_) @base))

[(annotation) (marker_annotation)] @lead
(annotation name: (_) @decorator)
(marker_annotation name: (_) @decorator)
(method_invocation name: (_) @call.name)
(object_creation_expression type: (_) @call)
(throw_statement (object_creation_expression type: (_) @raise))
(import_declaration) @import

[(line_comment) (block_comment)] @comment
(string_literal) @string

(ERROR) @error
(MISSING) @error
