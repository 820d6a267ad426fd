import { availableParallelism } from 'node:os'
import type { NodeView } from '../contract/node-view.ts'
import { type ContainerUsage, readUsage } from '../contract/usage.ts'
import { containersOf, MetricsPage } from './metrics-page.ts'
import { interfaces } from './network.ts'

/** A metric of containers: undefined where it is not known of one. */
interface ContainerMetric {
  readonly name: string
  readonly type: 'counter' | 'gauge'
  readonly help: string
  readonly labels?: Readonly<Record<string, string>>
  readonly of: (one: ContainerUsage) => number | undefined
}

const metrics: readonly ContainerMetric[] = [
  {
    ...{ name: 'container_cpu_usage_seconds_total', type: 'counter' },
    ...{ help: 'Processor time of a container.', labels: { cpu: 'total' } },
    of: (one) => one.cpuNanoseconds / 1e9,
  },
  {
    ...{ name: 'container_fs_usage_bytes', type: 'gauge' },
    help: 'What a container has written beside its volumes.',
    of: (one) => one.diskBytes,
  },
  {
    ...{ name: 'container_last_seen', type: 'gauge', help: 'When a container was looked at.' },
    of: (one) => one.at / 1000,
  },
  {
    ...{ name: 'container_memory_usage_bytes', type: 'gauge' },
    help: 'Memory that a container uses.',
    of: (one) => one.memoryBytes,
  },
  {
    ...{ name: 'container_memory_working_set_bytes', type: 'gauge' },
    help: 'Memory that a container works with.',
    of: (one) => one.memoryBytes,
  },
  {
    ...{ name: 'container_processes', type: 'gauge', help: 'Processes of a container.' },
    of: (one) => one.processes || undefined,
  },
  {
    ...{ name: 'container_spec_cpu_period', type: 'gauge' },
    help: 'The period of its limit of processor time, in microseconds.',
    of: (one) => one.config.resources?.cpuPeriod,
  },
  {
    ...{ name: 'container_spec_cpu_quota', type: 'gauge' },
    help: 'Processor time that it may take in a period, in microseconds.',
    of: (one) => one.config.resources?.cpuQuota || undefined,
  },
  {
    ...{ name: 'container_spec_cpu_shares', type: 'gauge' },
    help: 'Its part where processors are short.',
    of: (one) => one.config.resources?.cpuShares,
  },
  {
    ...{ name: 'container_spec_memory_limit_bytes', type: 'gauge' },
    help: 'Memory that it may use; 0 where there is no limit.',
    of: (one) => one.config.resources?.memoryBytes ?? 0,
  },
  {
    ...{ name: 'container_start_time_seconds', type: 'gauge' },
    help: 'When a container was started.',
    of: (one) => one.startedAt / 1000,
  },
]

/** `/metrics/cadvisor`: what is known of containers, by the names and labels of dashboards. */
export async function containerMetrics(view: NodeView): Promise<string> {
  const usage = await readUsage(view)
  const all = containersOf(usage)
  const page = new MetricsPage()
  for (const { name, type, help, labels: more, of } of metrics) {
    page.add(name, type, help)
    for (const { labels, one } of all) {
      const value = of(one)
      const named = { ...labels, ...more, id: one.id, image: one.config.image, name: one.id }
      if (value !== undefined) page.value(named, value, one.at)
    }
  }
  addNetwork(page, usage.at)
  page.add('machine_cpu_cores', 'gauge', 'Processors of the node.')
  page.value({}, availableParallelism())
  page.add('machine_memory_bytes', 'gauge', 'Memory of the node.')
  page.value({}, usage.memoryTotal)
  page.add('container_scrape_error', 'gauge', 'Whether something could not be read.')
  page.value({}, 0)
  return page.text
}

/** What went through the interfaces of the node, which is its root container here. */
function addNetwork(page: MetricsPage, at: number): void {
  const found = interfaces()
  for (const [way, key] of [
    ['receive', 'rx'],
    ['transmit', 'tx'],
  ] as const) {
    page.add(`container_network_${way}_bytes_total`, 'counter', 'Bytes through an interface.')
    for (const one of found) page.value({ id: '/', interface: one.name }, one[`${key}Bytes`], at)
    page.add(`container_network_${way}_errors_total`, 'counter', 'Errors of an interface.')
    for (const one of found) page.value({ id: '/', interface: one.name }, one[`${key}Errors`], at)
  }
}
