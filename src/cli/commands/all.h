// Makers of every command; AllCommands (cli/command.h) puts them in order.
#pragma once

#include <memory>

#include "cli/command.h"

namespace reckon::cli {

std::unique_ptr<Command> MakeImportCommand();
std::unique_ptr<Command> MakeFitCommand();
std::unique_ptr<Command> MakeValidateCommand();
std::unique_ptr<Command> MakePredictCommand();
std::unique_ptr<Command> MakeExplainCommand();
std::unique_ptr<Command> MakeAutomlCommand();
std::unique_ptr<Command> MakeProfileCommand();
std::unique_ptr<Command> MakeEstimatorsCommand();
std::unique_ptr<Command> MakeReportCommand();
std::unique_ptr<Command> MakeRecommendCommand();
std::unique_ptr<Command> MakeScheduleCommand();
std::unique_ptr<Command> MakeSimulateCommand();
std::unique_ptr<Command> MakeRunCommand();
std::unique_ptr<Command> MakeStatusCommand();
std::unique_ptr<Command> MakeLogsCommand();
std::unique_ptr<Command> MakeStopCommand();
std::unique_ptr<Command> MakeResultsCommand();
std::unique_ptr<Command> MakeListCommand();
std::unique_ptr<Command> MakeExportCommand();
std::unique_ptr<Command> MakeLabCommand();
std::unique_ptr<Command> MakeNodesCommand();
std::unique_ptr<Command> MakeServeCommand();
std::unique_ptr<Command> MakeAgentCommand();
std::unique_ptr<Command> MakeTokenCommand();
std::unique_ptr<Command> MakeAuditCommand();
std::unique_ptr<Command> MakeDataCommand();
std::unique_ptr<Command> MakeDataStoresCommand();
std::unique_ptr<Command> MakePublishCommand();
std::unique_ptr<Command> MakePublishedCommand();
std::unique_ptr<Command> MakeSpendCommand();
std::unique_ptr<Command> MakeCalibrationCommand();
std::unique_ptr<Command> MakeRefitCommand();
std::unique_ptr<Command> MakeDoctorCommand();

}  // namespace reckon::cli
