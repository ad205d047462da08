// Ten differences of different kinds, planted into a double: each as a row of the table names it.
import type { FaultRule, SentAnswer } from 'causeway-github-double';

interface Planted {
  /** How the table names it: step, where, and what. */
  readonly row: string;
  readonly rule: Omit<FaultRule, 'fault' | 'times'> & { readonly alter: (answer: SentAnswer) => SentAnswer };
}

interface Delivery {
  readonly id: number;
  readonly event: string;
  readonly action: string | null;
}

const LABEL_STEP = 'A label gets an answer';
const CLOSE_STEP = 'Pull requests and issue are closed';
const HOOK_DELIVERIES = { method: 'GET', path: /^\/app\/hook\/deliveries/ };

export const PLANTED: readonly Planted[] = [
  {
    row: `| ${LABEL_STEP} | person: \`issues/add-labels\` | status 201; the double: 200 |`,
    rule: { method: 'POST', path: /\/issues\/\d+\/labels$/, alter: (answer) => ({ ...answer, status: 201 }) },
  },
  {
    row: '| What GitHub refuses | person: `issues/get` 404 | without header `x-github-request-id` |',
    rule: { method: 'GET', path: /\/issues\/999999999$/, alter: withoutHeader('x-github-request-id') },
  },
  {
    row: '| A red check gets a verdict | person: `pulls/create` 201 | `x-github-media-type: github.v4; format=json`; the double: `github.v3; format=json` |',
    rule: {
      ...{ method: 'POST', path: /\/pulls$/, body: /Free delivery above the limit/ },
      alter: (answer) => ({
        ...answer,
        headers: { ...answer.headers, 'x-github-media-type': 'github.v4; format=json' },
      }),
    },
  },
  {
    row: `| ${LABEL_STEP} | person: \`issues/create\` 201 | without \`author_association\` |`,
    rule: { method: 'POST', path: /\/issues$/, alter: withBody(({ author_association: _, ...rest }) => rest) },
  },
  {
    row: '| A vote counts | person: `issues/create-comment` 201 | `issue_url` is number; the double: string |',
    rule: {
      ...{ method: 'POST', path: /\/issues\/\d+\/comments$/, body: /analyse right/ },
      alter: withBody((body) => ({ ...body, issue_url: 7 })),
    },
  },
  {
    row: `| ${CLOSE_STEP} | person: \`issues/update\` 200 | \`title\` is null; the double: string |`,
    rule: { method: 'PATCH', path: /\/issues\/\d+$/, alter: withBody((body) => ({ ...body, title: null })) },
  },
  {
    row: '| What GitHub refuses | person: `git/create-ref` | status 409; the double: 422 |',
    rule: {
      ...{ method: 'POST', path: /\/git\/refs$/, body: /refs\/heads\/main/ },
      alter: (answer) => ({ ...answer, status: 409 }),
    },
  },
  {
    row: `| ${LABEL_STEP} | event \`label.created\` | came, and does not from the double |`,
    // A copy with a number of its own, so that it is new when the other is.
    rule: withDeliveries((all) =>
      all.flatMap((one) =>
        isOf(one, 'issues', 'opened') ? [{ ...one, id: one.id + 0.5, event: 'label', action: 'created' }, one] : [one],
      ),
    ),
  },
  {
    row: `| ${LABEL_STEP} | event \`issue_comment.deleted\` | did not come |`,
    rule: withDeliveries((all) => all.filter((one) => !isOf(one, 'issue_comment', 'deleted'))),
  },
  {
    row: `| ${CLOSE_STEP} | event \`issues.closed\` | came before \`pull_request.closed\`; from the double after it |`,
    // Newest first: behind all others is before them.
    rule: withDeliveries((all) => {
      const [moved] = all.filter((one) => isOf(one, 'issues', 'closed'));
      const last = all.findLastIndex((one) => isOf(one, 'pull_request', 'closed'));
      if (moved === undefined || last === -1) return all;
      return all.flatMap((one, at) => (one === moved ? [] : at === last ? [one, moved] : [one]));
    }),
  },
];

/** As rules of a double; those of one request are one rule, since only one strikes. */
export function plantAll(): readonly FaultRule[] {
  const [ofDeliveries, others] = [
    PLANTED.filter(({ rule }) => rule.path === HOOK_DELIVERIES.path),
    PLANTED.filter(({ rule }) => rule.path !== HOOK_DELIVERIES.path),
  ];
  const alter = (answer: SentAnswer) => ofDeliveries.reduce((before, { rule }) => rule.alter(before), answer);
  return [...others.map(({ rule }) => rule), { ...HOOK_DELIVERIES, alter }].map(({ alter: change, ...where }) => ({
    ...where,
    times: Number.POSITIVE_INFINITY,
    fault: { kind: 'altered', alter: change },
  }));
}

function withoutHeader(name: string): (answer: SentAnswer) => SentAnswer {
  return (answer) => ({
    ...answer,
    headers: Object.fromEntries(Object.entries(answer.headers).filter(([one]) => one !== name)),
  });
}

type Body = Readonly<Record<string, unknown>>;

function withBody(change: (body: Body) => Body): (answer: SentAnswer) => SentAnswer {
  return (answer) => ({ ...answer, body: change(answer.body as Body) });
}

function withDeliveries(change: (all: readonly Delivery[]) => readonly Delivery[]): Planted['rule'] {
  return { ...HOOK_DELIVERIES, alter: (answer) => ({ ...answer, body: change(answer.body as readonly Delivery[]) }) };
}

function isOf(one: Delivery, event: string, action: string): boolean {
  return one.event === event && one.action === action;
}
