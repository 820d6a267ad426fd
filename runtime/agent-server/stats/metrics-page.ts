import type { NodeUsage } from '../contract/usage.ts'

type Labels = Readonly<Record<string, string>>

/** A page in the text format of metrics. */
export class MetricsPage {
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

/** The containers of a node, with the labels that name them. */
export function containersOf({ pods }: Pick<NodeUsage, 'pods'>) {
  return pods.flatMap(({ pod, containers }) =>
    containers.map((one) => ({
      one,
      labels: { container: one.name, ...podLabels(pod.metadata) },
    })),
  )
}

/** The labels that name a pod. */
export function podLabels({
  name,
  namespace = '',
}: {
  readonly name: string
  readonly namespace?: string
}): Labels {
  return { namespace, pod: name }
}
