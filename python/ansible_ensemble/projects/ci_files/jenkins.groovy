// A plan of each change; on the branch main the plan, and after its approval the deployment of just that plan; a check of
// drift by a timer, which fails where something drifted.
//
// It wants:
// - a multibranch pipeline whose agents have python3, git and ssh
// - the credential ensemble-git: user and token that may push to the repository
// - what your hosts and vaults want as credentials, bound below by `withCredentials`

pipeline {
  agent any
  options {
    disableConcurrentBuilds()
  }
  triggers {
    cron(env.BRANCH_NAME == 'main' ? 'H 5 * * *' : '')
  }
  environment {
    PATH = "${WORKSPACE}/local/venv/bin:${PATH}"
  }
  stages {
    stage('Install') {
      steps {
        sh '''
          mkdir -p local
          python3 -m venv local/venv
          pip install --quiet ansible-ensemble
          test ! -f collections/requirements.yml || ansible-galaxy collection install --requirements-file collections/requirements.yml
          ansible-ensemble trust .
        '''
      }
    }
    stage('Check') {
      when { triggeredBy 'TimerTrigger' }
      steps {
        sh '''
          ansible-ensemble check --detailed-exitcode --junit local/junit.xml
        '''
      }
    }
    stage('Plan') {
      when { not { triggeredBy 'TimerTrigger' } }
      steps {
        sh '''
          ansible-ensemble plan --out local/plan.json --output markdown > local/plan.md
          cat local/plan.md
        '''
        archiveArtifacts artifacts: 'local/plan.md'
        script {
          // with the plugin "Pipeline: GitHub"; others have steps of their own for comments
          if (env.CHANGE_ID && this.hasProperty('pullRequest')) {
            pullRequest.comment(readFile('local/plan.md'))
          }
        }
      }
    }
    stage('Approval') {
      when {
        branch 'main'
        not { triggeredBy 'TimerTrigger' }
      }
      steps {
        input message: readFile('local/plan.md').take(8000), ok: 'Deploy this plan'
      }
    }
    stage('Deploy') {
      when {
        branch 'main'
        not { triggeredBy 'TimerTrigger' }
      }
      steps {
        withCredentials([gitUsernamePassword(credentialsId: 'ensemble-git')]) {
          sh '''
            git config user.name "Jenkins"
            git config user.email "jenkins@localhost"
            git checkout -q -B "$BRANCH_NAME"
            ansible-ensemble deploy local/plan.json --push --message "Deploy [skip ci]" --junit local/junit.xml
          '''
        }
      }
    }
  }
  post {
    always {
      junit allowEmptyResults: true, testResults: 'local/junit.xml'
    }
  }
}
