/** The messages in which the gnostic project writes a Swagger 2.0 document, as far as our documents need them. */
import type {
  MessageField,
  MessageType,
  ProtobufTables,
} from '../../../kernel/descriptors/protobuf-tables.ts'

type Row = readonly [number: number, name: string, type: MessageType, sort?: 'list']

/** Absent and zero are the same here, and never written. */
function message(...rows: readonly Row[]): readonly MessageField[] {
  return rows.map(([number, name, type, sort]) => [number, name, type, sort ?? 'tracked'])
}

/** A map as this format has it: a list of pairs. */
function named(type: MessageType): readonly MessageField[] {
  return message([1, 'name', 'string'], [2, 'value', type])
}

/** What query and path parameters have in common; their numbers differ from `after` on. */
function parameter(after: 4 | 5, extensions: 22 | 23): readonly MessageField[] {
  return message(
    [1, 'required', 'bool'],
    [2, 'in', 'string'],
    [3, 'description', 'string'],
    [4, 'name', 'string'],
    [after + 1, 'type', 'string'],
    [after + 2, 'format', 'string'],
    [extensions === 23 ? 20 : 19, 'uniqueItems', 'bool'],
    [extensions, 'extensions', 'v2.NamedAny', 'list'],
  )
}

/** The fields of each message by number, name and type. */
export const swaggerMessages: ProtobufTables = {
  kinds: {},
  messages: {
    'v2.Document': message(
      [1, 'swagger', 'string'],
      [2, 'info', 'v2.Info'],
      [10, 'parameters', 'v2.ParameterDefinitions'],
      [12, 'security', 'v2.SecurityRequirement', 'list'],
      [13, 'securityDefinitions', 'v2.SecurityDefinitions'],
    ),
    'v2.ParameterDefinitions': message([1, 'entries', 'v2.NamedParameter', 'list']),
    'v2.NamedParameter': named('v2.Parameter'),
    'v2.SecurityRequirement': message([1, 'entries', 'v2.NamedStringArray', 'list']),
    'v2.NamedStringArray': named('v2.TypeItem'),
    'v2.SecurityDefinitions': message([1, 'entries', 'v2.NamedSecurityDefinition', 'list']),
    'v2.NamedSecurityDefinition': named('v2.SecurityDefinition'),
    'v2.SecurityDefinition': message([2, 'key', 'v2.ApiKeySecurity']),
    'v2.ApiKeySecurity': message(
      [1, 'type', 'string'],
      [2, 'name', 'string'],
      [3, 'in', 'string'],
      [4, 'description', 'string'],
    ),
    'v2.Info': message([1, 'title', 'string'], [2, 'version', 'string']),
    'v2.Paths': message([2, 'path', 'v2.NamedPathItem', 'list']),
    'v2.NamedPathItem': named('v2.PathItem'),
    'v2.PathItem': message(
      [2, 'get', 'v2.Operation'],
      [3, 'put', 'v2.Operation'],
      [4, 'post', 'v2.Operation'],
      [5, 'delete', 'v2.Operation'],
      [6, 'options', 'v2.Operation'],
      [7, 'head', 'v2.Operation'],
      [8, 'patch', 'v2.Operation'],
      [9, 'parameters', 'v2.ParametersItem', 'list'],
    ),
    'v2.Operation': message(
      [1, 'tags', 'string', 'list'],
      [3, 'description', 'string'],
      [5, 'operationId', 'string'],
      [6, 'produces', 'string', 'list'],
      [7, 'consumes', 'string', 'list'],
      [8, 'parameters', 'v2.ParametersItem', 'list'],
      [9, 'responses', 'v2.Responses'],
      [13, 'extensions', 'v2.NamedAny', 'list'],
    ),
    'v2.ParametersItem': message(
      [1, 'parameter', 'v2.Parameter'],
      [2, 'reference', 'v2.JsonReference'],
    ),
    'v2.JsonReference': message([1, '$ref', 'string']),
    'v2.Parameter': message([1, 'body', 'v2.BodyParameter'], [2, 'other', 'v2.NonBodyParameter']),
    'v2.BodyParameter': message(
      [2, 'name', 'string'],
      [3, 'in', 'string'],
      [4, 'required', 'bool'],
      [5, 'schema', 'v2.Schema'],
    ),
    'v2.NonBodyParameter': message(
      [3, 'query', 'v2.QueryParameterSubSchema'],
      [4, 'path', 'v2.PathParameterSubSchema'],
    ),
    'v2.QueryParameterSubSchema': parameter(5, 23),
    'v2.PathParameterSubSchema': parameter(4, 22),
    'v2.Responses': message([1, 'code', 'v2.NamedResponseValue', 'list']),
    'v2.NamedResponseValue': named('v2.ResponseValue'),
    'v2.ResponseValue': message([1, 'response', 'v2.Response']),
    'v2.Response': message([1, 'description', 'string'], [2, 'schema', 'v2.SchemaItem']),
    'v2.SchemaItem': message([1, 'schema', 'v2.Schema']),
    'v2.Definitions': message([1, 'entries', 'v2.NamedSchema', 'list']),
    'v2.Properties': message([1, 'entries', 'v2.NamedSchema', 'list']),
    'v2.NamedSchema': named('v2.Schema'),
    'v2.Schema': message(
      [1, '$ref', 'string'],
      [2, 'format', 'string'],
      [3, 'title', 'string'],
      [4, 'description', 'string'],
      [5, 'default', 'v2.Any'],
      [6, 'multipleOf', 'double'],
      [7, 'maximum', 'double'],
      [8, 'exclusiveMaximum', 'bool'],
      [9, 'minimum', 'double'],
      [10, 'exclusiveMinimum', 'bool'],
      [11, 'maxLength', 'int64'],
      [12, 'minLength', 'int64'],
      [13, 'pattern', 'string'],
      [14, 'maxItems', 'int64'],
      [15, 'minItems', 'int64'],
      [16, 'uniqueItems', 'bool'],
      [17, 'maxProperties', 'int64'],
      [18, 'minProperties', 'int64'],
      [19, 'required', 'string', 'list'],
      [20, 'enum', 'v2.Any', 'list'],
      [21, 'additionalProperties', 'v2.AdditionalPropertiesItem'],
      [22, 'type', 'v2.TypeItem'],
      [23, 'items', 'v2.ItemsItem'],
      [25, 'properties', 'v2.Properties'],
      [31, 'extensions', 'v2.NamedAny', 'list'],
    ),
    'v2.AdditionalPropertiesItem': message([1, 'schema', 'v2.Schema'], [2, 'boolean', 'bool']),
    'v2.TypeItem': message([1, 'value', 'string', 'list']),
    'v2.ItemsItem': message([1, 'schema', 'v2.Schema', 'list']),
    'v2.NamedAny': named('v2.Any'),
    'v2.Any': message([2, 'yaml', 'string']),
  },
}
