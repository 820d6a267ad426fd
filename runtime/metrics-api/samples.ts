/** What an agent says that its node, its pods and their containers have used. */

/** What one of them has used at a moment. Times are milliseconds since the epoch. */
export interface Sample {
  readonly at: number
  readonly startedAt: number
  /** Processor time since the start, in nanoseconds. */
  readonly cpuNanoseconds: number
  readonly memoryBytes: number
}

/** The containers of a pod. */
export interface PodSamples {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly containers: ReadonlyMap<string, Sample>
}

/** A node and its pods. */
export interface NodeSamples {
  readonly node: Sample | undefined
  readonly pods: readonly PodSamples[]
}

interface Measured {
  readonly startTime?: unknown
  readonly cpu?: { readonly time?: unknown; readonly usageCoreNanoSeconds?: unknown }
  readonly memory?: { readonly workingSetBytes?: unknown }
}

/** Reads a summary as agents write it; what is wrong or missing in it is left out. */
export function readSummary(summary: unknown): NodeSamples {
  const { node, pods } = (summary ?? {}) as { node?: Measured; pods?: unknown }
  return {
    node: sampleOf(node),
    pods: listOf(pods).flatMap((pod) => {
      const { podRef = {}, containers } = pod as { podRef?: object; containers?: unknown }
      const { namespace, name, uid } = podRef as Readonly<Record<string, unknown>>
      if (!isText(namespace) || !isText(name) || !isText(uid)) return []
      const samples = listOf(containers).flatMap((one) => {
        const named = one as Measured & { readonly name?: unknown }
        const sample = sampleOf(named)
        return isText(named.name) && sample !== undefined ? [[named.name, sample] as const] : []
      })
      return [{ namespace, name, uid, containers: new Map(samples) }]
    }),
  }
}

function sampleOf(measured: Measured | undefined): Sample | undefined {
  const { startTime, cpu, memory } = measured ?? {}
  const at = timeOf(cpu?.time)
  const cpuNanoseconds = amountOf(cpu?.usageCoreNanoSeconds)
  const memoryBytes = amountOf(memory?.workingSetBytes)
  if (at === undefined || cpuNanoseconds === undefined || memoryBytes === undefined) {
    return undefined
  }
  return { at, startedAt: timeOf(startTime) ?? 0, cpuNanoseconds, memoryBytes }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : []
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function timeOf(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}

function amountOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}
