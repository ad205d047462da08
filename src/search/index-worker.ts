// The thread that reads and writes the indexes, so that the event loop stays free.
import { serveRequests } from 'causeway-worker-thread';
import { createIndexAnswerer, type IndexAnswer, type IndexRequest } from './index-file.ts';

serveRequests<IndexRequest, IndexAnswer>(createIndexAnswerer());
