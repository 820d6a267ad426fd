/** The parts of volumes and claims that rules and cells look at. */
import type { LabelSelectorFields } from '../../../kernel/meta/label-selector.ts'
import type { ApiObject } from '../../../kernel/meta/object.ts'
import type { List, Resources, Strings, TimeText } from '../../types/shapes.ts'

export interface VolumeSpec {
  readonly capacity?: Strings
  readonly accessModes?: List<string>
  readonly claimRef?: { readonly namespace?: string; readonly name?: string }
  readonly persistentVolumeReclaimPolicy?: string
  readonly storageClassName?: string
  readonly mountOptions?: List<string>
  readonly volumeMode?: string
  readonly nodeAffinity?: { readonly required?: { readonly nodeSelectorTerms?: List<object> } }
  readonly volumeAttributesClassName?: string
  readonly hostPath?: { readonly path?: string }
  readonly local?: { readonly path?: string }
  readonly nfs?: { readonly server?: string; readonly path?: string }
}

export interface PersistentVolume extends ApiObject {
  readonly spec?: VolumeSpec
  readonly status?: { readonly phase?: string; readonly lastPhaseTransitionTime?: TimeText }
}

export interface TypedReference {
  readonly apiGroup?: string
  readonly kind?: string
  readonly name?: string
  readonly namespace?: string
}

export interface ClaimSpec {
  readonly accessModes?: List<string>
  readonly selector?: LabelSelectorFields
  readonly resources?: Resources
  readonly volumeName?: string
  readonly storageClassName?: string
  readonly volumeMode?: string
  readonly dataSource?: TypedReference
  readonly dataSourceRef?: TypedReference
  readonly volumeAttributesClassName?: string
}

export interface Claim extends ApiObject {
  readonly spec?: ClaimSpec
  readonly status?: {
    readonly phase?: string
    readonly accessModes?: List<string>
    readonly capacity?: Strings
  }
}
