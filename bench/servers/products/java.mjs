import { readMatchingLine } from '../access-log.mjs';

const JAVA = { program: 'java', install: 'apt-get install default-jre-headless' };

/** A small heap and only the first compiler stages, because the runs are short. */
const HEAP = ['-Xmx128m', '-XX:TieredStopAtLevel=1'];

const TOMCAT = '/usr/share/tomcat10';

/** Returns a Tomcat setup; `connector` contains attributes of the connector. */
function tomcat(name, connector = '', secure = false) {
  return {
    make: 'Tomcat',
    name,
    secure,
    more: ['/moved'],
    // The connection that checks whether the server listens is logged too, although it has no request.
    log: { file: 'access.log', read: readMatchingLine, bytes: 'body' },
    needs: [{ file: TOMCAT, debian: 'tomcat10', install: 'apt-get install tomcat10' }, JAVA],
    files: ({ directory, port }) => ({
      'server.xml': `<?xml version="1.0"?>
<Server port="-1">
  <Service name="Catalina">
    <Connector address="127.0.0.1" port="${port}" protocol="HTTP/1.1" maxKeepAliveRequests="-1" ${connector}>
      ${secure ? `<SSLHostConfig><Certificate certificateFile="${directory}/certificate.pem" certificateKeyFile="${directory}/key.pem" type="EC"/></SSLHostConfig>` : ''}
    </Connector>
    <Engine name="Catalina" defaultHost="localhost">
      <Host name="localhost" appBase="${directory}" autoDeploy="false" deployOnStartup="false">
        <Context path="" docBase="${directory}/www"/>
        <Valve className="org.apache.catalina.valves.rewrite.RewriteValve"/>
        <Valve className="org.apache.catalina.valves.AccessLogValve" directory="${directory}" prefix="access"
               suffix=".log" rotatable="false" buffered="false" pattern="%r %s %B"/>
      </Host>
    </Engine>
  </Service>
</Server>
`,
      'web.xml': `<?xml version="1.0"?>
<web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="6.0">
  <servlet>
    <servlet-name>default</servlet-name>
    <servlet-class>org.apache.catalina.servlets.DefaultServlet</servlet-class>
  </servlet>
  <servlet-mapping><servlet-name>default</servlet-name><url-pattern>/</url-pattern></servlet-mapping>
</web-app>
`,
      'rewrite.config': 'RewriteRule ^/moved$ /ok [R=302,QSD]\n',
    }),
    commands: ({ directory, port, program }) => [
      {
        command: [
          'sh',
          '-c',
          'mkdir -p conf/Catalina/localhost work temp && cp server.xml web.xml conf && ' +
            'cp rewrite.config conf/Catalina/localhost && exec "$0" "$@"',
          ...[program('java'), ...HEAP, `-Dcatalina.home=${TOMCAT}`, `-Dcatalina.base=${directory}`],
          ...['-cp', `${TOMCAT}/bin/bootstrap.jar:${TOMCAT}/bin/tomcat-juli.jar`],
          ...['org.apache.catalina.startup.Bootstrap', 'start'],
        ],
        port,
      },
    ],
  };
}

export const JAVA_SERVERS = [
  tomcat('persistent connections'),
  tomcat('gzip, chunked', 'compression="force"'),
  tomcat('TLS', 'SSLEnabled="true"', true),
];
