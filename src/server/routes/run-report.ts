import type { FastifyInstance } from 'fastify';
import { ROUTES } from '../../contract/routes.ts';
import type { Report } from '../../core/report/generated/documents.ts';
import type { ComparisonDeps } from '../domain/comparison.ts';
import { readRunReport } from '../domain/run-report.ts';
import { addRoute } from './add-route.ts';
import { idFrom } from './request.ts';

export type ReportRenderer = (report: Report) => Promise<string>;

export function addRunReportRoute(
  server: FastifyInstance,
  deps: () => ComparisonDeps,
  { render, publicOrigin }: { readonly render: ReportRenderer; readonly publicOrigin: string | null },
): void {
  addRoute(server, ROUTES.getReport, async (request, reply) => {
    const [test, result] = [idFrom(request, 'test_id'), idFrom(request, 'result_id')];
    const report = readRunReport(deps(), { test, result }, publicOrigin ?? `http://${request.host}`);
    return await reply
      .type('text/html; charset=utf-8')
      .header('content-disposition', `attachment; filename="${result}.html"`)
      .send(await render(report));
  });
}
