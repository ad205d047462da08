// A message for an incoming webhook of Slack, in Block Kit.
// Limits and escaping: https://docs.slack.dev/reference/block-kit/blocks, https://docs.slack.dev/messaging/formatting-message-text
import { truncate } from 'causeway-visible-text';
import type { ChatMessage } from './chat-message.ts';

interface Mrkdwn {
  readonly type: 'mrkdwn';
  readonly text: string;
  /** Slack makes no link and no mention of plain words. */
  readonly verbatim: true;
}

type SlackBlock =
  | { readonly type: 'header'; readonly text: { readonly type: 'plain_text'; text: string; emoji: false } }
  | { readonly type: 'section'; readonly text: Mrkdwn }
  | { readonly type: 'context'; readonly elements: readonly Mrkdwn[] };

export interface SlackMessage {
  /** Shown in notifications. */
  readonly text: string;
  readonly blocks: readonly SlackBlock[];
  readonly unfurl_links: false;
  readonly unfurl_media: false;
  readonly link_names: false;
}

const MAX_HEADER = 150;
/** Four of them fit into the 3,000 characters of a context element. */
const MAX_LINK = 700;

/** Escaping makes a text up to five times as long: 600 characters fit into the 3,000 of a section. */
export function toSlackMessage({ title, subject, text, place, links }: ChatMessage): SlackMessage {
  const shown = links.map(formatLink).filter((link) => link.length <= MAX_LINK);
  const context = [place === '' ? '' : escapeSlack(place), shown.join(' · ')].filter(Boolean);
  return {
    text: [title, subject].filter(Boolean).map(escapeSlack).join(': '),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: truncate(title, MAX_HEADER), emoji: false } },
      ...(subject === '' ? [] : [section(`*${escapeSlack(subject.replaceAll('*', ''))}*`)]),
      ...(text === '' ? [] : [section(escapeSlack(text))]),
      ...(context.length === 0 ? [] : [{ type: 'context', elements: context.map(toMrkdwn) } as const]),
    ],
    unfurl_links: false,
    unfurl_media: false,
    link_names: false,
  };
}

function section(text: string): SlackBlock {
  return { type: 'section', text: toMrkdwn(text) };
}

function toMrkdwn(text: string): Mrkdwn {
  return { type: 'mrkdwn', text, verbatim: true };
}

function formatLink({ text, url }: ChatMessage['links'][number]): string {
  return `<${escapeSlack(url).replaceAll('|', '%7C')}|${escapeSlack(text)}>`;
}

/** The three characters that Slack reads; no mention such as `<!channel>` is left. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
