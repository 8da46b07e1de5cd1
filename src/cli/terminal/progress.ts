/** Progress of a plan's execution: live lines, or one line per running test every ten seconds. */
import type { ApplyEvent, Emit } from '../../apply/events.ts';
import { counted, withCommas } from '../../core/counted.ts';
import type { RunProgress } from '../../core/load/run-report.ts';
import { keyOfAddress } from '../../core/model/ids.ts';
import { printable } from '../../core/printable.ts';
import { columns } from '../../core/text-columns.ts';
import { formatDuration, milliseconds } from '../../core/units.ts';
import type { LiveLines, Output } from './context.ts';
import type { Paint } from '../../report/paint.ts';
import { metricText } from '../../core/model/metric-text.ts';
import { wrapForOutput } from '../render/line-wrap.ts';
import { verdictText } from '../../report/run-text.ts';

const REPORT_INTERVAL_MS = 10_000;

export interface Progress {
  readonly emit: Emit;
  close(): void;
}

export interface ProgressOptions {
  readonly paint: Paint;
  /** Null if the output is not a terminal. */
  readonly live: LiveLines | null;
  readonly verbose: boolean;
}

export function createProgress(output: Output, { paint, live, verbose }: ProgressOptions): Progress {
  const running = new Map<string, string>();
  const lastLine = new Map<string, number>();
  const redraw = () => {
    if (live === null || running.size === 0) return;
    live(wrapForOutput([...running.values()].map((line) => `  ${line}`).join('\n'), output));
  };
  const line = (text: string) => {
    output.write(`${wrapForOutput(text, output)}\n`);
    redraw();
  };
  const eventLine = (symbol: string, verb: string, { address }: { readonly address: string }, text: string) =>
    line(`  ${columns(symbol, [verb, 'verb'], [address, 'address'], text)}`);
  const endRun = (address: string) => {
    running.delete(address);
    // The next round of --repeat has the same address.
    lastLine.delete(address);
  };
  const emit = (event: ApplyEvent) => {
    switch (event.kind) {
      case 'end': {
        const symbol = event.outcome === 'done' ? paint.green('✓') : paint.red('✗');
        eventLine(symbol, event.verb, event, printable(event.text));
        break;
      }
      case 'publish':
        line(`  ${paint.yellow('!')} ${printable(event.text)}`);
        break;
      case 'running': {
        const name = keyOfAddress(event.address);
        const text = progressText({ ...event, name });
        running.set(event.address, text);
        redraw();
        const last = lastLine.get(event.address) ?? 0;
        if (live === null && event.elapsed - last >= REPORT_INTERVAL_MS) {
          lastLine.set(event.address, event.elapsed);
          output.write(`  ${text}\n`);
        }
        break;
      }
      case 'ended':
        endRun(event.address);
        eventLine(paint.bold('•'), 'ended', event, verdictText(event.judgement.verdict, paint));
        break;
      case 'left':
        endRun(event.address);
        eventLine(paint.bold('•'), 'unfinished', event, printable(event.text));
        break;
      case 'note':
        line(`  ${printable(event.text)}`);
        break;
      case 'detail':
        if (verbose) line(`  ${printable(event.text)}`);
    }
  };
  return { emit, close: () => live?.clear() };
}

function progressText(running: {
  readonly name: string;
  readonly elapsed: number;
  readonly duration: number;
  readonly progress: RunProgress | null;
}): string {
  const { elapsed, duration, progress } = running;
  const warming = progress?.warmingUp === true ? 'warm-up' : 'running';
  const phase = elapsed > duration ? 'ending' : warming;
  const seconds = formatDuration(milliseconds(Math.max(1000, Math.floor(elapsed / 1000) * 1000)));
  const time = `${seconds} of ${formatDuration(milliseconds(duration))}`;
  const head = columns([running.name, 'run'], [phase, 'phase'], time);
  if (progress === null) return head;
  const failed = progress.error + progress.timeoutError + progress.networkError;
  const p95 = progress.p95 === null ? '' : `, p95 ${metricText('p95', progress.p95)}`;
  const rate = metricText('requests_per_second', progress.requestsPerSecond);
  return `${head}  ${counted(progress.connections, 'connection')}, ${rate}/s, ${withCommas(failed)} failed${p95}`;
}
