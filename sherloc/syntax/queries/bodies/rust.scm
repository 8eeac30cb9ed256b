; Captures are explained in sherloc/syntax/bodies.py.

(function_item body: (_) @braces)
(closure_expression body: (block) @braces)
(macro_rule right: (token_tree) @braces)

[
  (function_item) (struct_item) (enum_item) (union_item) (trait_item) (impl_item) (mod_item) (macro_definition)
] @keep

[(line_comment) (block_comment)] @comment
(ERROR) @error
(MISSING) @error
