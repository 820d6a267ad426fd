import type { NodeView } from '../contract/node-view.ts'
import { MetricsPage, podLabels } from './metrics-page.ts'

const types = { liveness: 'Liveness', readiness: 'Readiness', startup: 'Startup' }

/** `/metrics/probes`: how often probes passed and failed, by the labels of release 1.29. */
export async function probeMetrics(view: NodeView): Promise<string> {
  const page = new MetricsPage()
  page.add('prober_probe_total', 'counter', 'Rounds of a probe of a container, by what they found.')
  for (const { pod, container, kind, ...counts } of view.probeCounts()) {
    const labels = {
      ...{ container, ...podLabels(pod.metadata), pod_uid: pod.metadata.uid },
      probe_type: types[kind],
    }
    const { passed: successful, failed, unknown } = counts
    for (const [result, count] of Object.entries({ successful, failed, unknown })) {
      if (count > 0) page.value({ ...labels, result }, count)
    }
  }
  return page.text
}
