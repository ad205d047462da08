// Deliveries: received, verified, stored and handed to Probot.
export { isRecord } from './delivery.ts';
export {
  type ArrivedEvent,
  createDeliveriesInFlight,
  createDeliveryHandler,
  openProbot,
  type ReceivingProbot,
} from './handle-delivery.ts';
export { createReceiver, type Receiver } from './receive-delivery.ts';
export { openSmeeChannel } from './smee-channel.ts';
