// Webhooks to callers and subscribers: which addresses are safe, and the handler that delivers.
export { type CallbackPolicy, parseCallbackAllow } from './address-policy.ts';
export { checkCallbackUrl } from './callback-url.ts';
export { createWebhookHandler, type WebhookHandlerOptions } from './deliver-webhook.ts';
