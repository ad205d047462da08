// Messages to Slack and Teams: within what their formats allow, whatever is in them, and nothing of it active there.
import type { KnownBlock } from '@slack/types';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { WEBHOOK_TYPES, type WebhookContent } from '../../src/core/account/webhook.ts';
import { createExample } from '../../src/core/account/webhook-example.ts';
import { addSources } from '../../src/core/issue/shown-issue.ts';
import type { StepSource } from '../../src/core/report/evidence.ts';
import { type ChatFacts, describeEvent } from '../../src/webhooks/chat-message.ts';
import { toSlackMessage } from '../../src/webhooks/slack.ts';
import { toTeamsMessage } from '../../src/webhooks/teams.ts';

const plain = (maxLength: number) => ({
  ...{ type: 'object', required: ['type', 'text'], additionalProperties: false },
  properties: { type: { const: 'plain_text' }, text: { type: 'string', minLength: 1, maxLength }, emoji: {} },
});
const mrkdwn = {
  ...{ type: 'object', required: ['type', 'text'], additionalProperties: false },
  properties: { type: { const: 'mrkdwn' }, text: { type: 'string', minLength: 1, maxLength: 3_000 }, verbatim: {} },
};
const block = (type: string, part: object) => ({
  ...{ type: 'object', required: ['type', ...Object.keys(part)], additionalProperties: false },
  properties: { type: { const: type }, ...part },
});

/** As docs.slack.dev/reference/block-kit has them in November 2026, of the blocks that we use. */
const SLACK = {
  ...{ type: 'object', required: ['text', 'blocks'], additionalProperties: false },
  properties: {
    text: { type: 'string', minLength: 1, maxLength: 40_000 },
    blocks: {
      ...{ type: 'array', minItems: 1, maxItems: 50 },
      items: {
        oneOf: [
          block('header', { text: plain(150) }),
          block('section', { text: mrkdwn }),
          block('context', { elements: { type: 'array', minItems: 1, maxItems: 10, items: mrkdwn } }),
        ],
      },
    },
    ...{ unfurl_links: { const: false }, unfurl_media: { const: false }, link_names: { const: false } },
  },
};

const textRun = {
  ...{ type: 'object', required: ['type', 'text'], additionalProperties: false },
  properties: {
    ...{ type: { const: 'TextRun' }, text: { type: 'string', minLength: 1 }, isSubtle: { type: 'boolean' } },
    weight: { enum: ['Lighter', 'Default', 'Bolder'] },
  },
};
const card = {
  ...{ type: 'object', required: ['type', 'version', 'body'], additionalProperties: false },
  properties: {
    ...{ $schema: { const: 'http://adaptivecards.io/schemas/adaptive-card.json' }, type: { const: 'AdaptiveCard' } },
    version: { const: '1.4' },
    body: {
      type: 'array',
      items: {
        oneOf: [
          block('TextBlock', {
            text: { type: 'string' },
            size: { enum: ['Small', 'Default', 'Medium', 'Large', 'ExtraLarge'] },
            ...{ weight: { enum: ['Lighter', 'Default', 'Bolder'] }, wrap: { type: 'boolean' } },
          }),
          block('RichTextBlock', { inlines: { type: 'array', minItems: 1, items: textRun } }),
        ],
      },
    },
    actions: {
      // Teams shows six at most.
      ...{ type: 'array', maxItems: 6 },
      items: block('Action.OpenUrl', { title: { type: 'string' }, url: { type: 'string', format: 'uri' } }),
    },
  },
};

/** The message that Workflows take, and of Adaptive Cards 1.4 what we use. */
const TEAMS = {
  ...{ type: 'object', required: ['type', 'attachments'], additionalProperties: false },
  properties: {
    type: { const: 'message' },
    attachments: {
      ...{ type: 'array', minItems: 1, maxItems: 1 },
      items: {
        ...{ type: 'object', required: ['contentType', 'content'], additionalProperties: false },
        properties: {
          contentType: { const: 'application/vnd.microsoft.card.adaptive' },
          ...{ contentUrl: { const: null }, content: card },
        },
      },
    },
  },
};
const MOST_BYTES = 28 * 1_024;

const ajv = new Ajv2020({ strict: false, formats: { uri: (text: string) => URL.canParse(text) } });
const [isSlack, isTeams] = [ajv.compile(SLACK), ajv.compile(TEAMS)];

const AREA = 'https://causeway.example.com';
const GITHUB = 'https://github.com';

/** The example of a type with its texts replaced; the Issue is found for every type, as it would be for a real event. */
function filled(type: (typeof WEBHOOK_TYPES)[number], text: string): { content: WebhookContent; facts: ChatFacts } {
  const example = createExample(type);
  const created = createExample('issue.created');
  if (created.type !== 'issue.created') throw new Error('not an issue');
  const links = { comment: `${GITHUB}/o/r/issues/1#c`, checkRun: text, pullRequest: `${GITHUB}/o/r/pull/7?a=1&b=<2>` };
  const { data: issue } = created;
  const own = { ...issue, problem: text, rootCause: text, analysis: { ...issue.analysis, links } };
  const data = {
    ...structuredClone(example.data),
    ...('reason' in example.data && { reason: { code: 'internal', detail: text } }),
    ...('checkNames' in example.data && { checkNames: Array.from({ length: 20 }, () => text), headline: text }),
    ...('firstSeen' in example.data && { lastSeen: { ...example.data.lastSeen, branch: text, checkName: text } }),
    ...('branch' in example.data && { branch: text, base: text }),
    ...('proof' in example.data && example.data.proof && { proof: { ...example.data.proof, turned: [text] } }),
  };
  const content = { type, data: type === 'issue.created' ? own : data } as WebhookContent;
  const facts = { project: `octo/${text}`, issue: addSources(own, []), isExample: false };
  return { content, facts: { ...facts, accountArea: AREA, githubUrl: GITHUB } };
}

const HOSTILE: readonly string[] = [
  '<!channel> <!here> <!everyone> <@U012AB3CD> <#C0123> <!subteam^S1> <https://evil.example|Sign in>',
  '&lt;!channel&gt; & <b>*bold* _it_ ~no~ `code` @channel @here',
  '[Sign in](https://evil.example) ![x](https://evil.example/p.png) <at>Ada</at> {{DATE(2026-01-01T00:00:00Z,SHORT)}}',
  'see https://evil.example/?q=1 and www.evil.example/x or javascript://evil.example/%0aalert(1) slack://open',
  '"}],"blocks":[{"type":"image","image_url":"https://evil.example/p.png"}]',
  '\u202egnp.exe \u200b\u0000\u001b[31m \ud800 \u{e0041}\u{e0042}',
  '&'.repeat(5_000),
  `${'<'.repeat(150)}. ${'W'.repeat(4_000)}`,
  '\n\n---\n```\nERROR line of a log\n```\n',
  '👩‍💻'.repeat(900),
  '',
];

/** A mapped type goes through a union part by part. */
type Deeply<T> = { readonly [Key in keyof T]: Deeply<T[Key]> };

describe('a message', () => {
  it.each(WEBHOOK_TYPES)('of %s is within what Slack and Teams take, whatever it is made of', (type) => {
    for (const text of HOSTILE) {
      const { content, facts } = filled(type, text);
      const message = describeEvent(content, facts);
      const [slack, teams] = [toSlackMessage(message), toTeamsMessage(message)];
      // Slack's own types, which the compiler holds it to.
      const blocks: readonly Deeply<KnownBlock>[] = slack.blocks;
      expect(blocks.length).toBeGreaterThan(0);
      expect([text, isSlack(slack), isSlack.errors]).toEqual([text, true, null]);
      expect([text, isTeams(teams), isTeams.errors]).toEqual([text, true, null]);
      expect(Buffer.byteLength(JSON.stringify(teams))).toBeLessThan(MOST_BYTES);
    }
  });

  it.each(WEBHOOK_TYPES)('of %s has no mention, foreign link or markup from outside', (type) => {
    for (const text of HOSTILE) {
      const message = describeEvent(...(Object.values(filled(type, text)) as [WebhookContent, ChatFacts]));
      const slack = JSON.stringify(toSlackMessage(message));
      // What is left between angle brackets are our own links.
      const own = [...slack.matchAll(/<([^>]*)>/g)].map(([, inside = '']) => inside);
      for (const link of own)
        expect(link).toMatch(/^https:\/\/(?:causeway\.example\.com|github\.com)\/[^|<>]*\|[A-Z][a-z ]+$/);
      const teams = toTeamsMessage(message).attachments[0].content;
      for (const { url } of teams.actions) expect(url).toMatch(/^https:\/\/(?:causeway\.example\.com|github\.com)\//);
      const read = teams.body.filter((element) => element.type === 'TextBlock').map((element) => element.text);
      expect(read.join()).not.toMatch(/[[\]<>*_`{}]|evil|channel/);
      expect(slack + JSON.stringify(teams)).not.toMatch(/:\/\/evil|www\.evil|slack:\/\/|\\u001b|\u202e/);
    }
  });

  it('says outcome, cause in two sentences, and where to read on', () => {
    const { content, facts } = filled('issue.created', '');
    if (content.type !== 'issue.created' || facts.issue === null) throw new Error('not an issue');
    const rootCause = 'The cart is empty [step 2]. `total` divides by 0, e.g. here. Nobody noticed.\n\n```\nlog\n```';
    const issue = { ...facts.issue, problem: '# Totals are *NaN*\n\nmore', rootCause };
    const message = describeEvent({ ...content, data: issue }, { ...facts, project: 'octo/shop', issue });
    expect(toSlackMessage(message)).toMatchInlineSnapshot(`
      {
        "blocks": [
          {
            "text": {
              "emoji": false,
              "text": "Cause and fix · confidence 90 %",
              "type": "plain_text",
            },
            "type": "header",
          },
          {
            "text": {
              "text": "*Totals are NaN*",
              "type": "mrkdwn",
              "verbatim": true,
            },
            "type": "section",
          },
          {
            "text": {
              "text": "The cart is empty. \`total\` divides by 0, e.g. here.",
              "type": "mrkdwn",
              "verbatim": true,
            },
            "type": "section",
          },
          {
            "elements": [
              {
                "text": "octo/shop",
                "type": "mrkdwn",
                "verbatim": true,
              },
              {
                "text": "<https://causeway.example.com/issues/iss_00000000000000000000|Analysis> · <https://github.com/o/r/pull/7?a=1&amp;b=%3C2%3E|Pull request> · <https://github.com/o/r/issues/1#c|Comment>",
                "type": "mrkdwn",
                "verbatim": true,
              },
            ],
            "type": "context",
          },
        ],
        "link_names": false,
        "text": "Cause and fix · confidence 90 %: Totals are *NaN*",
        "unfurl_links": false,
        "unfurl_media": false,
      }
    `);
    expect(toTeamsMessage(message).attachments[0].content).toMatchInlineSnapshot(`
      {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "actions": [
          {
            "title": "Analysis",
            "type": "Action.OpenUrl",
            "url": "https://causeway.example.com/issues/iss_00000000000000000000",
          },
          {
            "title": "Pull request",
            "type": "Action.OpenUrl",
            "url": "https://github.com/o/r/pull/7?a=1&b=%3C2%3E",
          },
          {
            "title": "Comment",
            "type": "Action.OpenUrl",
            "url": "https://github.com/o/r/issues/1#c",
          },
        ],
        "body": [
          {
            "size": "Medium",
            "text": "Cause and fix · confidence 90 %",
            "type": "TextBlock",
            "weight": "Bolder",
            "wrap": true,
          },
          {
            "inlines": [
              {
                "text": "Totals are *NaN*",
                "type": "TextRun",
                "weight": "Bolder",
              },
            ],
            "type": "RichTextBlock",
          },
          {
            "inlines": [
              {
                "text": "The cart is empty. \`total\` divides by 0, e.g. here.",
                "type": "TextRun",
              },
            ],
            "type": "RichTextBlock",
          },
          {
            "inlines": [
              {
                "isSubtle": true,
                "text": "octo/shop",
                "type": "TextRun",
              },
            ],
            "type": "RichTextBlock",
          },
        ],
        "type": "AdaptiveCard",
        "version": "1.4",
      }
    `);
  });

  it('of a failure names its checks, and no line of a log', () => {
    const { content, facts } = filled('failure.opened', 'test (20)');
    const message = describeEvent(content, { ...facts, issue: null, project: 'octo/shop' });
    expect(message).toEqual({
      title: 'New failing check',
      subject: 'test (20), test (20), test (20) and 17 more',
      text: '',
      place: 'octo/shop · test (20) · 000000000000',
      links: [{ text: 'Failure', url: `${AREA}/projects/prj_${'0'.repeat(20)}/failures/fal_${'0'.repeat(20)}` }],
    });
  });

  it('repeats nothing that a monitoring system said', () => {
    const { content, facts } = filled('issue.created', '');
    if (content.type !== 'issue.created' || facts.issue === null) throw new Error('not an issue');
    const canary = 'customer 4711 of Example Inc was charged twice';
    const steps = [{ action: 'sentry__search', result: `event: ${canary}`, analysis: '' }];
    const citations = [{ claim: 'it was charged', step: 1, quote: canary }];
    const own = {
      ...facts.issue,
      ...{ problem: `Charged: ${canary}`, rootCause: `Sentry says "${canary}". So it is.`, investigationSteps: steps },
      analysis: { ...facts.issue.analysis, citations },
    };
    const source: StepSource = 'monitoring';
    const issue = addSources(own, [source]);
    const message = describeEvent({ ...content, data: own }, { ...facts, issue });
    expect(JSON.stringify([toSlackMessage(message), toTeamsMessage(message)])).not.toContain('4711');
    expect(message.text).toContain('[left out: from monitoring]');
  });

  it('keeps the paths of a stack trace, and what closes the brackets around a link', () => {
    const text = 'at f (file:///srv/shop/a.js:14:11), see (https://example.org/x) or http:file:////example.org';
    const { content, facts } = filled('issue.created', text);
    expect(describeEvent(content, facts).subject).toBe('at f (/srv/shop/a.js:14:11), see ([link]) or [link]');
  });

  it('links no page where people cannot sign in, and none of an example', () => {
    const { content, facts } = filled('pull_request.opened', 'x');
    const urls = (more: Partial<ChatFacts>) =>
      describeEvent(content, { ...facts, ...more }).links.map(({ url }) => url);
    expect(urls({ accountArea: '' })).toEqual(['https://github.com/example/example/pull/1']);
    expect(urls({ accountArea: '', githubUrl: '' })).toEqual([]);
    const example = describeEvent(content, { ...facts, isExample: true });
    expect(example.title).toBe('Example: Pull request opened: #1');
    expect(example.links.map(({ text }) => text)).toEqual(['Pull request']);
  });
});
