// BullMQ as workers and their service use it. All of it (other drivers of Redis, PostgreSQL, flows, schedules) is twice
// as much to load.
export { Queue } from '../node_modules/bullmq/dist/esm/classes/queue.js';
export { Worker } from '../node_modules/bullmq/dist/esm/classes/worker.js';
