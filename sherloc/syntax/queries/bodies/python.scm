; Captures are explained in sherloc/syntax/bodies.py.

(function_definition body: (block) @suite) @scope
(assignment right: (lambda body: (_) @lambda))
(decorated_definition) @keep
[(function_definition) (class_definition)] @keep
(decorated_definition [(decorator) (function_definition) (class_definition)] @line)

(class_definition body: (block) @class)
(expression_statement . [(string) (concatenated_string)] @loose .)

((function_definition
  name: (identifier) @_name
  body: (block (expression_statement . (assignment left: [
    (attribute object: (identifier) @_self)
    (pattern_list . (attribute object: (identifier) @_self))]) .) @attribute))
  (#eq? @_name "__init__")
  (#eq? @_self "self"))

(comment) @comment
(ERROR) @error
(MISSING) @error
