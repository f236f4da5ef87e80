import { apiVersionOf, type Resource } from '../resource.ts';
import { componentName, PATCH } from './component-name.ts';
import { type GroupVersionKind, groupTitle, type Method, type OpenApiOperation, tagOf, title } from './operation.ts';
import {
  NAMESPACE,
  nameParameter,
  PATCH_PARAMETERS,
  type Parameter,
  PRETTY,
  RESOURCE_VERSION,
  WRITE_PARAMETERS,
} from './parameter.ts';

const JSON_YAML = ['application/json', 'application/yaml'];
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const STRATEGIC = 'application/strategic-merge-patch+json';

export const ANY_MEDIA: readonly string[] = ['*/*'];

/** Builds the operations of one resource, with the differences between built-in and custom ones. */
export class ResourceOperations {
  readonly resource: Resource;
  readonly component: string;
  readonly gvk: GroupVersionKind;
  /** Kind in operation ids, including its scope. */
  readonly scopedKind: string;
  /** Namespace parameter of a namespaced resource. */
  readonly scope: readonly Parameter[];
  /** Parameters of all operations on one object. */
  readonly item: readonly Parameter[];
  readonly name: Parameter;
  readonly media: readonly string[];

  constructor(resource: Resource) {
    const { group, version, kind, namespaced, custom } = resource;
    this.resource = resource;
    this.component = componentName(group, version, kind);
    this.gvk = { group, version, kind };
    this.scopedKind = `${namespaced ? 'Namespaced' : ''}${kind}`;
    this.scope = namespaced ? [NAMESPACE] : [];
    this.name = nameParameter(kind);
    this.item = [this.name, ...this.scope, PRETTY];
    this.media = custom ? JSON_YAML : [...JSON_YAML, PROTOBUF];
  }

  path(rest: string): string {
    const { group } = this.resource;
    return `/${group === '' ? 'api' : 'apis'}/${apiVersionOf(this.resource)}/${rest}`;
  }

  /** Returns the media types of a list or a watch. */
  streams(): readonly string[] {
    if (this.resource.custom) return this.media;
    return [...this.media, 'application/json;stream=watch', `${PROTOBUF};stream=watch`];
  }

  /** Returns the common part of all operations. `named` ends the id. */
  operation(method: Method, verb: string, named: string, description: string) {
    const { group, version, custom } = this.resource;
    return {
      method,
      id: `${verb}${groupTitle(group)}${title(version)}${named}`,
      tag: tagOf(group, version),
      description,
      consumes: custom ? JSON_YAML : ANY_MEDIA,
      produces: this.media,
      gvk: this.gvk,
    };
  }

  read(named: string, description: string, component: string): OpenApiOperation {
    return {
      ...this.operation('get', 'read', named, description),
      parameters: this.resource.custom ? [...this.item, RESOURCE_VERSION] : this.item,
      responses: { 200: component },
      action: 'get',
    };
  }

  create(named: string, description: string, component: string, shared: readonly Parameter[]): OpenApiOperation {
    return {
      ...this.operation('post', 'create', named, description),
      parameters: [...shared, ...WRITE_PARAMETERS],
      body: { component, required: true },
      responses: { 200: component, 201: component, 202: component },
      action: 'post',
    };
  }

  replace(named: string, description: string, component: string): OpenApiOperation {
    return {
      ...this.operation('put', 'replace', named, description),
      parameters: [...this.item, ...WRITE_PARAMETERS],
      body: { component, required: true },
      responses: { 200: component, 201: component },
      action: 'put',
    };
  }

  patch(named: string, description: string, component: string): OpenApiOperation {
    const { custom } = this.resource;
    return {
      ...this.operation('patch', 'patch', named, description),
      parameters: [...this.item, ...PATCH_PARAMETERS],
      body: { component: PATCH, required: true },
      consumes: [
        'application/json-patch+json',
        'application/merge-patch+json',
        ...(custom ? [] : [STRATEGIC]),
        'application/apply-patch+yaml',
      ],
      responses: custom ? { 200: component } : { 200: component, 201: component },
      action: 'patch',
    };
  }
}
