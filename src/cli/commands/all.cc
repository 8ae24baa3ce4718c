#include "cli/commands/all.h"

namespace reckon::cli {

std::vector<std::unique_ptr<Command>> AllCommands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(MakeImportCommand());
  commands.push_back(MakeFitCommand());
  commands.push_back(MakeValidateCommand());
  commands.push_back(MakePredictCommand());
  commands.push_back(MakeExplainCommand());
  commands.push_back(MakeAutomlCommand());
  commands.push_back(MakeProfileCommand());
  commands.push_back(MakeEstimatorsCommand());
  commands.push_back(MakeReportCommand());
  commands.push_back(MakeRecommendCommand());
  commands.push_back(MakeScheduleCommand());
  commands.push_back(MakeSimulateCommand());
  commands.push_back(MakeRunCommand());
  commands.push_back(MakeStatusCommand());
  commands.push_back(MakeLogsCommand());
  commands.push_back(MakeStopCommand());
  commands.push_back(MakeResultsCommand());
  commands.push_back(MakeListCommand());
  commands.push_back(MakeExportCommand());
  commands.push_back(MakeLabCommand());
  commands.push_back(MakeNodesCommand());
  commands.push_back(MakeServeCommand());
  commands.push_back(MakeAgentCommand());
  commands.push_back(MakeTokenCommand());
  commands.push_back(MakeAuditCommand());
  commands.push_back(MakeDataCommand());
  commands.push_back(MakeDataStoresCommand());
  commands.push_back(MakePublishCommand());
  commands.push_back(MakePublishedCommand());
  commands.push_back(MakeSpendCommand());
  commands.push_back(MakeCalibrationCommand());
  commands.push_back(MakeRefitCommand());
  commands.push_back(MakeDoctorCommand());
  return commands;
}

}  // namespace reckon::cli
