; C, and the first part of C++. Captures are explained in sherloc/syntax/bodies.py.

(function_definition body: (compound_statement) @braces)
(preproc_function_def value: (_) @macro)

(compound_statement [(struct_specifier body: (_)) (union_specifier body: (_)) (enum_specifier body: (_))] @keep)
(declaration type: [(struct_specifier body: (_)) (union_specifier body: (_)) (enum_specifier body: (_))]) @keep
(compound_statement (type_definition) @keep)

(comment) @comment
(ERROR) @error
(MISSING) @error
