import type { Platform } from '../../kernel/descriptors/platform.ts'

/** What labels, taints and annotations are called that decide where pods go. */
export interface PlatformKeys {
  readonly hostname: string
  readonly zone: string
  readonly region: string
  /** What zones and regions were called before, by what they are called now. */
  readonly formerPlaces: ReadonlyMap<string, string>
  readonly unschedulable: string
  readonly selectedNode: string
  readonly bindCompleted: string
  readonly boundByController: string
  readonly formerStorageClass: string
  readonly noProvisioner: string
}

/** The keys of a platform. */
export function platformKeys({ domain }: Pick<Platform, 'domain'>): PlatformKeys {
  const [zone, region] = [`topology.${domain}/zone`, `topology.${domain}/region`]
  return {
    ...{ hostname: `${domain}/hostname`, zone, region },
    formerPlaces: new Map([
      [`failure-domain.beta.${domain}/zone`, zone],
      [`failure-domain.beta.${domain}/region`, region],
    ]),
    unschedulable: `node.${domain}/unschedulable`,
    selectedNode: `volume.${domain}/selected-node`,
    bindCompleted: `pv.${domain}/bind-completed`,
    boundByController: `pv.${domain}/bound-by-controller`,
    formerStorageClass: `volume.beta.${domain}/storage-class`,
    noProvisioner: `${domain}/no-provisioner`,
  }
}
