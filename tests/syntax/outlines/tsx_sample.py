"""Components with types."""

from outlines.sample import Sample

_SOURCE = """\
import React, { forwardRef, type FC } from "react";

type Props = { title: string; onClose?: () => void };

/** Asks before it closes. */
export const Dialog: FC<Props> = ({ title, onClose }) => {
  const [open, setOpen] = React.useState<boolean>(false);

  function close() {
    setOpen(false);
    onClose?.();
  }

  return (
    <Modal open={open}>
      <h1>{title}</h1>
      <Button.Small onClick={() => close()} label="Close it" />
    </Modal>
  );
};

export const Field = forwardRef<HTMLInputElement, Props>((props, ref) => {
  return <input ref={ref} {...props} />;
});

class Boundary extends React.Component<Props, State> {
  state: State = { failed: false };
  static getDerivedStateFromError(): State {
    return { failed: true };
  }
  render() {
    return this.state.failed ? <p>Something broke</p> : this.props.children;
  }
}

export default function App({ store }: { store: Store }) {
  return <Boundary><Dialog title={store.title()} /></Boundary>;
}
"""

SAMPLE = Sample(
    "tsx",
    _SOURCE,
    [
        ("class", "Props", 3, 3),
        ("function", "Dialog", 5, 20),
        ("function", "Dialog.close", 9, 12),
        ("function", "Field", 22, 24),
        ("class", "Boundary", 26, 34),
        ("method", "Boundary.getDerivedStateFromError", 28, 30),
        ("method", "Boundary.render", 31, 33),
        ("function", "App", 36, 38),
    ],
    details={"Props": "type", "Dialog": "function", "Boundary.render": "method"},
    bases={"Boundary": ("React.Component",)},
    signatures={"App": "export default function App({ store }: { store: Store })"},
    docstrings={"Dialog": "Asks before it closes."},
    references=[
        ("import", "react.forwardRef", "forwardRef", 1, ""),
        ("import", "react.FC", "FC", 1, ""),
        ("import", "react.default", "React", 1, ""),
        ("call", "React.useState", "", 7, "Dialog"),
        ("call", "setOpen", "", 10, "Dialog.close"),
        ("call", "onClose", "", 11, "Dialog.close"),
        ("call", "Modal", "", 15, "Dialog"),
        ("call", "Button.Small", "", 17, "Dialog"),
        ("call", "close", "", 17, "Dialog"),
        ("call", "forwardRef", "", 22, "Field"),
        ("call", "Boundary", "", 37, "App"),
        ("call", "Dialog", "", 37, "App"),
        ("call", "store.title", "", 37, "App"),
    ],
    zones=[("string", "Close it"), ("string", "Something broke")],
    no_zones=("store.title",),
)
