(jsx_opening_element name: [(identifier) (member_expression)] @call.component)
(jsx_self_closing_element name: [(identifier) (member_expression)] @call.component)
(jsx_text) @string
