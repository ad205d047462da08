// What goes in and out of the API about subscriptions, and what their webhooks say besides Issues and failures.
import { z } from '@hono/zod-openapi';
import { SUBSCRIPTION_FORMATS, SUBSCRIPTION_ORIGINS, WEBHOOK_TYPES } from '../core/account/index.ts';
import { defineFilledText, defineName, describeMissing, ProofSchema, Timestamp } from './schemas.ts';

const AddressUrl = defineFilledText(2_048).openapi({
  description: 'Where events are sent: https, a public host, port 443 or 8443. It is a secret, and never shown again.',
});

const SubscriptionFormatSchema = z.enum(SUBSCRIPTION_FORMATS, {
  error: `Isn't a format: give one of ${SUBSCRIPTION_FORMATS.join(', ')}.`,
});

const EventTypes = z
  .array(z.enum(WEBHOOK_TYPES, { error: `Isn't a type: give some of ${WEBHOOK_TYPES.join(', ')}.` }), {
    error: describeMissing('an array of types'),
  })
  .min(1, 'Is empty: give at least one type.')
  .max(WEBHOOK_TYPES.length, 'Has more entries than there are types.');

const EventOrigins = z
  .array(z.enum(SUBSCRIPTION_ORIGINS, { error: `Isn't an origin: give some of ${SUBSCRIPTION_ORIGINS.join(', ')}.` }), {
    error: describeMissing('an array of origins'),
  })
  .min(1, 'Is empty: give at least one origin, or leave it out.')
  .max(SUBSCRIPTION_ORIGINS.length, 'Has more entries than there are origins.');

export const CreateSubscriptionBody = z
  .strictObject(
    {
      url: AddressUrl,
      types: EventTypes,
      projectId: defineName(300).optional().openapi({
        description: 'Identifier of the project, or its name. Absent: all that you can see, now or later.',
      }),
      origins: EventOrigins.optional().openapi({
        description:
          'What started it: a GitHub issue (`label`), a failed check (`check`) or a report (`api`). Absent: any.',
      }),
      format: SubscriptionFormatSchema.optional().openapi({
        description:
          '`standard` (default): the signed JSON of `webhooks`. `slack`, `teams`: a message for an incoming webhook.',
      }),
    },
    { error: describeMissing('a JSON object') },
  )
  .openapi('CreateSubscription', {
    example: {
      url: 'https://example.com/hooks/causeway',
      types: ['issue.created', 'failure.opened'],
      projectId: 'local/shop',
    },
  });
export type CreateSubscriptionBody = z.infer<typeof CreateSubscriptionBody>;

const subscriptionFields = {
  id: z.string().openapi({ example: 'sub_8Jd2sVq6LmXpT0cG5yNf' }),
  projectId: z.string().nullable().openapi({ description: 'Null: all that you can see.' }),
  types: z.array(z.enum(WEBHOOK_TYPES)),
  origins: z.array(z.enum(SUBSCRIPTION_ORIGINS)),
  format: SubscriptionFormatSchema,
  address: z.string().openapi({ description: 'Host and last four characters.', example: 'hooks.slack.com …x7Qd' }),
  createdAt: Timestamp,
  disabled: z
    .object({ at: Timestamp, reason: z.literal('gone') })
    .nullable()
    .openapi({ description: 'Set once its receiver has answered 410: nothing more is sent to it.' }),
};

export const SubscriptionSchema = z
  .object({
    ...subscriptionFields,
    lastDelivery: z
      .object({
        id: z.string(),
        type: z.enum(WEBHOOK_TYPES),
        state: z.enum(['pending', 'delivered', 'dead', 'stopped']),
        error: z.string().openapi({ description: 'Why the last attempt failed; empty if it did not.' }),
        createdAt: Timestamp,
      })
      .nullable(),
  })
  .openapi('Subscription');

export const NewSubscriptionSchema = z
  .object({
    ...subscriptionFields,
    lastDelivery: z.null(),
    secret: z
      .string()
      .openapi({ description: 'Verifies its webhooks; shown only this once. Empty: its format is not signed.' }),
  })
  .openapi('NewSubscription');

export const SubscriptionParams = z.object({
  subscriptionId: z
    .string()
    .openapi({ description: 'Identifier of the subscription.', example: 'sub_8Jd2sVq6LmXpT0cG5yNf' }),
});

export const PullRequestEventSchema = z
  .object({
    projectId: z.string(),
    issueId: z.string().openapi({ description: 'The Issue that it implements.' }),
    number: z.int(),
    url: z.string(),
    state: z.enum(['open', 'merged', 'closed']),
    branch: z.string(),
    base: z.string(),
    proof: z.union([ProofSchema, z.null()]).openapi({ description: 'Null: none, or it has not ended.' }),
  })
  .openapi('PullRequestEvent', {
    description: 'A pull request of Causeway, as it was at that moment.',
    example: {
      projectId: 'prj_5Nf8sLw2QdVxJ7aG3uKp',
      issueId: 'iss_7Hq2mXv9KcTzR4bN1wYe',
      number: 31,
      state: 'open',
      url: 'https://github.com/octo/shop/pull/31',
      branch: 'causeway/issue-12-1a2b3c',
      base: 'main',
      proof: null,
    },
  });
