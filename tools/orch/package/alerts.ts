/** Alerts about conditions that are not healthy for too long, from what the schemas declare. */
import type { DeclaredCondition } from '../../../runtime/kernel/descriptors/declared-conditions.ts'
import { type AnyKind, resourceName } from '../../../runtime/kernel/descriptors/kind.ts'
import { type Manifest, metadataOf, type PackageSettings } from './settings.ts'

/**
 * One group for each kind that declares an `alertAfter`, with an alert for each such condition. The operator counts the objects whose
 * condition is overdue by itself, so that an alert only waits out a missed scrape.
 */
export function alertGroups(kinds: readonly AnyKind[]): readonly Manifest[] {
  return kinds.flatMap((kind) => {
    const rules = Object.entries(kind.conditions ?? {}).flatMap(([type, declared]) =>
      declared.alertAfterSeconds === undefined ? [] : [alertOf(kind, type, declared)],
    )
    return rules.length === 0 ? [] : [{ name: resourceName(kind), rules }]
  })
}

/** The same as an object that the operator of Prometheus reads. */
export function alertManifests(
  settings: PackageSettings,
  kinds: readonly AnyKind[],
): readonly Manifest[] {
  const groups = alertGroups(kinds)
  if (groups.length === 0) return []
  return [
    {
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'PrometheusRule',
      metadata: metadataOf(settings),
      spec: { groups },
    },
  ]
}

function alertOf(kind: AnyKind, type: string, { healthy, reasons }: DeclaredCondition): Manifest {
  const series = `controller_overdue_conditions{kind="${kind.kind}",condition="${type}"}`
  const meanings = Object.entries(reasons).filter(([, meaning]) => meaning !== '')
  const known = meanings.map(([reason, meaning]) => `${reason}: ${meaning}`).join(' ')
  return {
    alert: `${kind.kind}Not${healthy === 'True' ? type : `Healthy${type}`}`,
    expr: `max by (kind, condition, reason) (${series}) > 0`,
    for: '2m',
    labels: { severity: 'warning' },
    annotations: {
      summary: `{{ $value }} ${kind.plural} are not ${healthy} in ${type} for too long: {{ $labels.reason }}`,
      description:
        `The debug page of the operator names them, as does kubectl get ${resourceName(kind)} -A. ${known}`.trimEnd(),
    },
  }
}
