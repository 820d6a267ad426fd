/** What a node, its pods and their containers use, as metrics. */
import type { NodeView } from '../contract/node-view.ts'
import { readUsage } from '../contract/usage.ts'
import { containersOf, MetricsPage, podLabels } from './metrics-page.ts'
import { sum } from './summary.ts'

/** `/metrics/resource`: processor time and memory of the node, its pods and their containers. */
export async function resourceMetrics(view: NodeView): Promise<string> {
  const { at, cpuNanoseconds, memoryBytes, pods } = await readUsage(view)
  const all = containersOf({ pods })
  const page = new MetricsPage()
  page.add('container_cpu_usage_seconds_total', 'counter', 'Processor time of a container.')
  for (const { labels, one } of all) page.value(labels, one.cpuNanoseconds / 1e9, one.at)
  page.add('container_memory_working_set_bytes', 'gauge', 'Memory that a container works with.')
  for (const { labels, one } of all) page.value(labels, one.memoryBytes, one.at)
  page.add('container_start_time_seconds', 'gauge', 'When a container was started.')
  for (const { labels, one } of all) page.value(labels, one.startedAt / 1000)
  page.add('node_cpu_usage_seconds_total', 'counter', 'Processor time of the node.')
  page.value({}, cpuNanoseconds / 1e9, at)
  page.add('node_memory_working_set_bytes', 'gauge', 'Memory that the node works with.')
  page.value({}, memoryBytes, at)
  page.add('pod_cpu_usage_seconds_total', 'counter', 'Processor time of a pod.')
  for (const { pod, containers } of pods) {
    page.value(podLabels(pod.metadata), sum(containers.map((one) => one.cpuNanoseconds)) / 1e9, at)
  }
  page.add('pod_memory_working_set_bytes', 'gauge', 'Memory that a pod works with.')
  for (const { pod, containers } of pods) {
    page.value(podLabels(pod.metadata), sum(containers.map((one) => one.memoryBytes)), at)
  }
  page.add('resource_scrape_error', 'gauge', 'Whether something could not be read.')
  page.value({}, 0)
  return page.text
}
