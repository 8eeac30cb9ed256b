; Captures are explained in sherloc/syntax/bodies.py.

(method body: (_) @until "end" @end)
(singleton_method body: (_) @until "end" @end)
(lambda body: (block body: (_) @until "}" @end))
(lambda body: (do_block body: (_) @until "end" @end))
(call
  method: (identifier) @_maker
  block: (do_block body: (_) @until "end" @end)
  (#any-of? @_maker "lambda" "proc" "define_method"))
(call
  method: (identifier) @_maker
  block: (block body: (_) @until "}" @end)
  (#any-of? @_maker "lambda" "proc" "define_method"))

[(method) (singleton_method) (class) (module)] @keep

((method
  name: (identifier) @_name
  body: (body_statement (assignment left: (instance_variable)) @attribute))
  (#eq? @_name "initialize"))

(comment) @comment
(ERROR) @error
(MISSING) @error
