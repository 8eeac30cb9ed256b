import React, { useState } from "react";

type Props = { title: string };

/** Shows it. */
export const View: React.FC<Props> = ({ title }) => {
  const [n, setN] = useState(0);
  const onClick = () => setN(n + 1);
  return <Panel.Box onClick={onClick}><b>some text</b><Label text={title} /></Panel.Box>;
};

export default function App(): JSX.Element {
  return <View title="x" />;
}

class Old extends React.Component<Props> {
  render() {
    return null;
  }
}
