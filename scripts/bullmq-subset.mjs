// The parts of BullMQ that the service and its workers use. The whole package (other Redis drivers,
// PostgreSQL, flows, schedules) takes twice as long to load.
export { Queue } from '../node_modules/bullmq/dist/esm/classes/queue.js';
export { Worker } from '../node_modules/bullmq/dist/esm/classes/worker.js';
