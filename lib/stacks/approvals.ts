import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  ApiMapping,
  DomainName,
  HttpApi,
  HttpMethod,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { Key } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { CaseFileStack } from './casefile.ts';
import type { Deployment } from './deployment.ts';
import { Guards } from './guards.ts';
import { signingKey } from './keys.ts';
import { protectedLogs } from './logs.ts';
import { namesOf } from './names.ts';

export interface ApprovalsProps extends StackProps {
  readonly deployment: Deployment;
  readonly caseFile: CaseFileStack;
}

/** How people reach the pages, and the key that their links are signed with. The functions behind it come later. */
export class ApprovalsStack extends Stack {
  readonly api: HttpApi;
  readonly signingKey: Key;
  /** Where people open the pages, without a slash at its end. */
  readonly publicUrl: string;

  constructor(scope: Construct, id: string, props: ApprovalsProps) {
    super(scope, id, props);
    const { deployment } = props;
    this.signingKey = signingKey(this);
    new Guards(this, deployment).guardSigningKey(this.signingKey);
    const { domain, certificate } = deployment.pages;
    this.api = new HttpApi(this, 'Pages', {
      apiName: `${deployment.name}-pages`,
      description: 'the approval pages of Caregate',
      createDefaultStage: false,
      // One way in: the address that AWS gives would go past the domain of one's own.
      disableExecuteApiEndpoint: domain !== undefined,
    });
    const stage = this.#stage(props);
    if (domain === undefined || certificate === undefined) {
      this.publicUrl = this.api.apiEndpoint;
    } else {
      this.publicUrl = `https://${domain}`;
      this.#domain(domain, certificate, stage);
    }
    new CfnOutput(this, 'PublicUrl', { value: this.publicUrl });
    new CfnOutput(this, 'SigningKeyArn', { value: this.signingKey.keyArn });
  }

  #stage({ deployment, caseFile }: ApprovalsProps): HttpStage {
    const logs = protectedLogs(this, 'PageLogs', {
      deployment,
      logGroupName: namesOf(deployment).pageLogs,
      encryptionKey: caseFile.dataKey,
    });
    const { requestsPerSecond } = deployment.pages;
    return new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      // A target for the service and no limit for an attacker: what must not be tried twice is counted in the register.
      throttle: { rateLimit: requestsPerSecond, burstLimit: 2 * requestsPerSecond },
      accessLogSettings: {
        destination: new LogGroupLogDestination(logs),
        // The route and not the path: a path holds the link, which is as good as a key while it lives.
        format: AccessLogFormat.custom(
          JSON.stringify({
            request: '$context.requestId',
            time: '$context.requestTimeEpoch',
            route: '$context.routeKey',
            status: '$context.status',
            latency: '$context.responseLatency',
            error: '$context.integrationErrorMessage',
          }),
        ),
      },
    });
  }

  #domain(name: string, certificateArn: string, stage: HttpStage): void {
    const domainName = new DomainName(this, 'Domain', {
      domainName: name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
    });
    new ApiMapping(this, 'Mapping', { api: this.api, domainName, stage });
    new CfnOutput(this, 'DomainTarget', {
      description: `the CNAME record of ${name}`,
      value: domainName.regionalDomainName,
    });
  }
}

export interface PageFunctions {
  readonly web: IFunction;
  readonly decide: IFunction;
  readonly health: IFunction;
}

/** Puts the functions behind the pages: `web` shows and answers GET alone, `decide` decides and answers POST alone. */
export function route(scope: Construct, api: HttpApi, functions: PageFunctions): void {
  const web = new HttpLambdaIntegration('Web', functions.web);
  const decide = new HttpLambdaIntegration('Decide', functions.decide);
  const health = new HttpLambdaIntegration('Health', functions.health);
  const routes = [
    { id: 'HealthRoute', path: '/healthz', method: HttpMethod.GET, integration: health },
    { id: 'HomeRoute', path: '/', method: HttpMethod.GET, integration: web },
    { id: 'ShowRoute', path: '/{page+}', method: HttpMethod.GET, integration: web },
    { id: 'DecideRoute', path: '/{page+}', method: HttpMethod.POST, integration: decide },
  ];
  for (const { id, path, method, integration } of routes) {
    new HttpRoute(scope, id, { httpApi: api, routeKey: HttpRouteKey.with(path, method), integration });
  }
}
