import type { CheckpointStore } from '../../core/ports/checkpoint-store.ts';
import type { Database } from './database.ts';

export function openCheckpointStore(database: Database): CheckpointStore {
  const put = database.prepare(
    `INSERT INTO runs_elsewhere (result_id, epoch, state)
     SELECT result_id, ?, ? FROM results WHERE result_id = ? AND record IS NULL
     ON CONFLICT (result_id) DO UPDATE SET epoch = excluded.epoch, state = excluded.state`,
  );
  const epochOf = database.prepare(
    `SELECT epoch FROM runs_elsewhere JOIN results USING (result_id) WHERE result_id = ? AND record IS NULL`,
  );
  return {
    put(runId, { epoch, state }) {
      put.run(epoch, Buffer.from(state), runId);
    },
    get(runId) {
      const row = epochOf.first(runId);
      const state = database.blob('SELECT state FROM runs_elsewhere WHERE result_id = ?', runId);
      return row === null || state === null ? null : { epoch: Number(row['epoch']), state };
    },
  };
}
