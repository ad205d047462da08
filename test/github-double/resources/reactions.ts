// Reactions as the API shows them: one by one, and counted.
import type { Reaction, State } from '../state.ts';
import { nodeId } from './node-id.ts';
import { simpleUserOf } from './user.ts';

export const REACTIONS = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes'] as const;

export function reactionBody(state: State, reaction: Reaction) {
  return {
    id: reaction.id,
    node_id: nodeId('RE', reaction.id),
    user: simpleUserOf(state, reaction.userId),
    content: reaction.content,
    created_at: reaction.createdAt,
  };
}

/** The counts of each kind, as they stand on issues and comments. */
export function rollup(url: string, reactions: readonly Reaction[]) {
  const count = (content: string) => reactions.filter((one) => one.content === content).length;
  return {
    url,
    total_count: reactions.length,
    '+1': count('+1'),
    '-1': count('-1'),
    laugh: count('laugh'),
    hooray: count('hooray'),
    confused: count('confused'),
    heart: count('heart'),
    rocket: count('rocket'),
    eyes: count('eyes'),
  };
}
