// A message for an incoming webhook of Teams (Workflows): an Adaptive Card.
// Schema: https://adaptivecards.io/schemas/1.4.0/adaptive-card.json
import type { ChatMessage } from './chat-message.ts';

interface TextRun {
  readonly type: 'TextRun';
  readonly text: string;
  readonly weight?: 'Bolder';
  readonly isSubtle?: true;
}

type Element =
  | {
      readonly type: 'TextBlock';
      readonly text: string;
      readonly size: 'Medium';
      readonly weight: 'Bolder';
      readonly wrap: true;
    }
  | { readonly type: 'RichTextBlock'; readonly inlines: readonly TextRun[] };

export interface TeamsMessage {
  readonly type: 'message';
  readonly attachments: readonly [
    {
      readonly contentType: 'application/vnd.microsoft.card.adaptive';
      readonly contentUrl: null;
      readonly content: {
        readonly $schema: 'http://adaptivecards.io/schemas/adaptive-card.json';
        readonly type: 'AdaptiveCard';
        readonly version: '1.4';
        readonly body: readonly Element[];
        readonly actions: readonly { readonly type: 'Action.OpenUrl'; readonly title: string; readonly url: string }[];
      };
    },
  ];
}

/**
 * A TextBlock reads Markdown, links and mentions among it, and functions such as `{{DATE()}}`: it holds words of ours
 * alone. A TextRun reads none of it, so text from outside needs no escaping there.
 */
export function toTeamsMessage({ title, subject, text, place, links }: ChatMessage): TeamsMessage {
  const runs: readonly TextRun[] = [
    { type: 'TextRun', text: subject, weight: 'Bolder' },
    { type: 'TextRun', text },
    { type: 'TextRun', text: place, isSubtle: true },
  ];
  const shown = runs.filter((run) => run.text !== '');
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      { type: 'TextBlock', text: title, size: 'Medium', weight: 'Bolder', wrap: true },
      ...shown.map((run) => ({ type: 'RichTextBlock', inlines: [run] }) as const),
    ],
    actions: links.map(({ text: name, url }) => ({ type: 'Action.OpenUrl', title: name, url }) as const),
  } as const;
  const contentType = 'application/vnd.microsoft.card.adaptive';
  return { type: 'message', attachments: [{ contentType, contentUrl: null, content }] };
}
