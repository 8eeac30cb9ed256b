; C, and the first part of C++. Captures are explained in sherloc/syntax/nesting.py.

(function_definition body: (_)? @body) @def.function.function
(function_declarator declarator: (identifier) @declarator)
(struct_specifier name: (_)? @name body: (_) @body) @def.class.struct
(union_specifier name: (_)? @name body: (_) @body) @def.class.union
(enum_specifier name: (_)? @name body: (_) @body) @def.class.enum
(type_definition
  type: [(struct_specifier body: (_)) (union_specifier body: (_)) (enum_specifier body: (_))]
  . declarator: (type_identifier) @name) @def.class.typedef
(preproc_function_def name: (_) @name value: (_)? @body) @def.function.macro

(call_expression function: [(identifier) (field_expression)] @call)
(preproc_include) @import

(comment) @comment
(string_content) @string

(ERROR) @error
(MISSING) @error
