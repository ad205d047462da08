// Node ids, which GraphQL uses instead of numbers: the double writes kind and numbers into them and reads them back.

export type NodeKind =
  | 'U'
  | 'O'
  | 'BOT'
  | 'A'
  | 'R'
  | 'I'
  | 'PR'
  | 'IC'
  | 'CR'
  | 'CS'
  | 'LA'
  | 'RE'
  | 'C'
  | 'REF'
  | 'SC'
  | 'PRR'
  | 'PRRC'
  | 'W'
  | 'MDI'
  | 'WFR';

export function nodeId(kind: NodeKind, ...parts: readonly (number | string)[]): string {
  return `${kind}_${Buffer.from(parts.join(':')).toString('base64url')}`;
}

export function readNodeId(id: string): { readonly kind: string; readonly parts: readonly string[] } {
  const at = id.indexOf('_');
  return {
    kind: id.slice(0, at),
    parts: Buffer.from(id.slice(at + 1), 'base64url')
      .toString()
      .split(':'),
  };
}
