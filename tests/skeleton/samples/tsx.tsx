import React from "react";
type Props = { title: string };
export const Card: React.FC<Props> = ({ title }) => {
  const onClick = () => { alert(title); };
  return <div onClick={onClick}>{title}</div>;
};
export function List(props: { items: string[] }) {
  return <ul>{props.items.map((x) => <li>{x}</li>)}</ul>;
}
