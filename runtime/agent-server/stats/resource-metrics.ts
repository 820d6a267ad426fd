/** What a node, its pods and their containers use, as metrics. */
import type { NodeView } from '../contract/node-view.ts'
import { type NodeUsage, readUsage } from '../contract/usage.ts'
import { sum } from './summary.ts'

type Labels = Readonly<Record<string, string>>

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

/** `/metrics/cadvisor`: what is known of containers, by the names and labels of dashboards. */
export async function containerMetrics(view: NodeView): Promise<string> {
  const usage = await readUsage(view)
  const all = containersOf(usage)
  const page = new MetricsPage()
  page.add('container_cpu_usage_seconds_total', 'counter', 'Processor time of a container.')
  for (const { labels, one } of all) {
    page.value({ ...labels, cpu: 'total', id: one.id }, one.cpuNanoseconds / 1e9, one.at)
  }
  page.add('container_memory_usage_bytes', 'gauge', 'Memory that a container uses.')
  for (const { labels, one } of all) page.value({ ...labels, id: one.id }, one.memoryBytes, one.at)
  page.add('container_memory_working_set_bytes', 'gauge', 'Memory that a container works with.')
  for (const { labels, one } of all) page.value({ ...labels, id: one.id }, one.memoryBytes, one.at)
  page.add('container_processes', 'gauge', 'Processes of a container.')
  for (const { labels, one } of all) page.value({ ...labels, id: one.id }, one.processes, one.at)
  page.add('machine_memory_bytes', 'gauge', 'Memory of the node.')
  page.value({}, usage.memoryTotal)
  return page.text
}

function containersOf({ pods }: Pick<NodeUsage, 'pods'>) {
  return pods.flatMap(({ pod, containers }) =>
    containers.map((one) => ({
      one,
      labels: { container: one.name, ...podLabels(pod.metadata) },
    })),
  )
}

function podLabels({
  name,
  namespace = '',
}: {
  readonly name: string
  readonly namespace?: string
}): Labels {
  return { namespace, pod: name }
}

/** A page in the text format of metrics. */
class MetricsPage {
  #name = ''
  text = ''

  add(name: string, type: 'counter' | 'gauge', help: string): void {
    this.#name = name
    this.text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`
  }

  value(labels: Labels, value: number, at?: number): void {
    const pairs = Object.entries(labels).map(([name, text]) => `${name}=${JSON.stringify(text)}`)
    const shown = pairs.length === 0 ? '' : `{${pairs.join(',')}}`
    this.text += `${this.#name}${shown} ${value}${at === undefined ? '' : ` ${at}`}\n`
  }
}
